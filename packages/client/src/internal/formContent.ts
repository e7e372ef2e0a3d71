/** A name or a file name as browsers write it (HTML standard, "multipart/form-data encoding algorithm"). */
const quoted = (text: string) => `"${text.replace(/["\r\n]/g, encodeURIComponent)}"`

/** Writes a multipart body. `types` are those of texts, which have none otherwise, and of files without one of their own. */
export const multipartContent = (
  all: ReadonlyArray<readonly [name: string, part: string | Blob]>,
  types: { readonly [name: string]: string } = {}
) => {
  const random = Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36))
  const boundary = `part-${random.join("")}`
  const parts = all.flatMap(([name, part]) => {
    const isText = typeof part === "string"
    const file = isText ? "" : `; filename=${quoted("name" in part ? String(part.name) : "blob")}`
    const given = Object.hasOwn(types, name) ? types[name] : undefined
    const type = isText ? given : part.type || given || "application/octet-stream"
    const head = `--${boundary}\r\ncontent-disposition: form-data; name=${quoted(name)}${file}\r\n`
    return [`${head}${type === undefined ? "" : `content-type: ${type}\r\n`}\r\n`, part, "\r\n"]
  })
  return { contentType: `multipart/form-data; boundary=${boundary}`, parts: [...parts, `--${boundary}--\r\n`] }
}

/** A form as it is on the wire. */
export interface FormContent {
  readonly contentType: string
  readonly parts: ReadonlyArray<string | Blob>
  /** The parts in one, read now. */
  readonly bytes: () => Promise<Uint8Array<ArrayBuffer>>
}

/**
 * Writes a form of any realm: each has its own `FormData` and `Blob`, as jsdom does, and of another `fetch` sends only the name
 * of its class.
 */
export const formContent = (form: FormData): FormContent => {
  const { contentType, parts } = multipartContent(
    Array.from(form, ([name, part]) => [name, typeof part === "string" ? part.replace(/\r?\n|\r/g, "\r\n") : part])
  )
  const bytes = async () => {
    const encoder = new TextEncoder()
    const chunks = await Promise.all(
      parts.map(async (part) =>
        typeof part === "string" ? encoder.encode(part) : new Uint8Array(await part.arrayBuffer())
      )
    )
    const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
    let offset = 0
    for (const chunk of chunks) {
      whole.set(chunk, offset)
      offset += chunk.length
    }
    return whole
  }
  return { contentType, parts, bytes }
}
