/** Values of another realm, such as a page of jsdom or the sandbox of Jest: `instanceof` knows only its own. */
import * as Transport from "@cloud-management/client/Transport"

const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)

export const isBlob = (value: unknown): value is Blob => /^(Blob|File)$/.test(kindOf(value))

const isForm = (value: unknown): value is FormData => kindOf(value) === "FormData"

export const isError = (value: unknown): value is Error => value instanceof Error || kindOf(value) === "Error"

/** The same with bytes in place of a form or a `Blob`, of which `Request` would read the name of the class only. */
export const own = async (init: RequestInit | undefined): Promise<RequestInit | undefined> => {
  const body = init?.body
  const form = isForm(body) ? Transport.formContent(body) : undefined
  const bytes = form?.bytes() ?? (isBlob(body) ? body.arrayBuffer() : undefined)
  if (bytes === undefined) return init
  const headers = new Headers(init?.headers)
  const type = form?.contentType ?? (isBlob(body) ? body.type : "")
  if (type !== "" && !headers.has("content-type")) headers.set("content-type", type)
  return { ...init, body: await bytes, headers }
}
