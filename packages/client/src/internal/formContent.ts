/** Names as browsers write them (HTML standard, "multipart/form-data"). */
const quoted = (name: string) =>
  `"${name.replace(/["\r\n]/g, (mark) => ({ '"': "%22", "\r": "%0D", "\n": "%0A" })[mark] ?? mark)}"`

/** A form as it is on the wire. */
export interface FormContent {
  readonly contentType: string
  readonly parts: ReadonlyArray<string | File>
  /** The parts in one, read now. */
  readonly bytes: () => Promise<Uint8Array<ArrayBuffer>>
}

/**
 * Writes a form of any realm: each has its own `FormData` and `Blob`, as jsdom does, and of another `fetch` sends only the name
 * of its class.
 */
export const formContent = (form: FormData): FormContent => {
  const boundary = `form-${globalThis.crypto.randomUUID()}`
  const parts = Array.from(form).flatMap(([name, value]) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}`
    if (typeof value === "string") return [`${head}\r\n\r\n`, value.replace(/\r?\n|\r/g, "\r\n"), "\r\n"]
    const type = value.type || "application/octet-stream"
    return [`${head}; filename=${quoted(value.name)}\r\nContent-Type: ${type}\r\n\r\n`, value, "\r\n"]
  })
  const all = [...parts, `--${boundary}--\r\n`]
  const bytes = async () => {
    const encoder = new TextEncoder()
    const chunks = await Promise.all(
      all.map(async (part) =>
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
  return { contentType: `multipart/form-data; boundary=${boundary}`, parts: all, bytes }
}
