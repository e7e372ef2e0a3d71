import type { Document } from "../Document.ts"
import { property } from "../Json.ts"
import * as Media from "../Media.ts"
import * as Digits from "./Digits.ts"
import * as Example from "./Example.ts"
import { accepts } from "./Input.ts"
import type { Response } from "./Target.ts"

/** What the server answers. */
export interface Reply {
  readonly status: number
  readonly type: string | undefined
  /** Where the next page is (RFC 8288). */
  readonly link?: string
  /** Where a redirect leads. */
  readonly location?: string
  readonly body: string | Uint8Array
  /** The value that the client is to have. */
  readonly value: unknown
  readonly example: Example.Example | undefined
}

/** The content that a request asks for. */
export const contentOf = ({ contents }: Response, accept: string): Media.Media | undefined => {
  const wanted = accept.split(",").map((range) => range.trim().toLowerCase())
  return contents.find((media) =>
    wanted.some((range) => accepts(range.split(";")[0] ?? "", media.type) || accepts(media.type, range))
  )
}

/** Makes an answer of a content. */
export const make = (
  document: Document,
  status: number,
  content: Media.Media | undefined,
  variation: Example.Variation
): Reply => {
  if (content === undefined) {
    const location = status >= 300 && status < 400 ? "/elsewhere?a=1" : undefined
    return { status, type: undefined, ...(location && { location }), body: "", value: location, example: undefined }
  }
  const { key, kind, schema } = content
  const type = content.type.includes("*") ? Media.concrete(content) : key
  const isItems = kind === "lines" || kind === "events"
  const item = isItems ? Media.itemOf(document, content) : undefined
  if (item !== undefined) {
    const items = [true, false].map((isFull) => Example.make(document, item, { ...variation, isFull }).value)
    const texts = items.map((one) => Digits.stringify(one))
    const body = texts.map((one, i) => (kind === "lines" ? `${one}\n` : `id: ${i}\ndata: ${one}\n\n`)).join("")
    return { status, type, body, value: items, example: undefined }
  }
  switch (kind) {
    case "json": {
      const example = Example.make(document, schema, variation)
      return { status, type, body: Digits.stringify(example.value), value: example.value, example }
    }
    case "text": {
      // errors quote only plain words
      const body = status < 400 ? "a text: ü\n" : "a text\n"
      return { status, type, body, value: body, example: undefined }
    }
    default: {
      const bytes = Uint8Array.of(0, 1, 254, 255)
      return { status, type, body: bytes, value: bytes, example: undefined }
    }
  }
}

/** Names of fields that have the text of a refusal, the most telling one first. */
const texts = ["message", "error_description", "detail", "error", "title", "msg", "description", "reason"]

/** The text in the body of a refusal that a client is to report; `undefined` if no field is known for it. */
export const textOf = (body: unknown): string | undefined => {
  if (Array.isArray(body)) return typeof body[0] === "string" && body[0] !== "" ? body[0] : textOf(body[0])
  for (const name of texts) {
    const found = property(body, name)
    if (typeof found === "string" && found !== "") return found
    const inner = found === undefined ? undefined : textOf(found)
    if (inner !== undefined) return inner
  }
  return undefined
}
