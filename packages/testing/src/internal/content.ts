import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Base64 from "effect/encoding/Base64"

/** A body as a cassette shows it: JSON as a value, other text as it is, UTF-16 with its mark too, bytes in base64. */
export const Content = Schema.Union([
  Schema.Struct({ json: Schema.Json }),
  Schema.Struct({ text: Schema.String, charset: Schema.optionalKey(Schema.Literals(["utf-16le", "utf-16be"])) }),
  Schema.Struct({
    base64: Schema.String.check(
      Schema.makeFilter((text: string) => Result.isSuccess(Base64.decode(text)), { expected: "base64" })
    )
  })
])
export type Content = typeof Content.Type

const encoder = new TextEncoder()
/** Keeps a byte order mark, and throws for what is not UTF-8. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const parse: (text: string) => Schema.Json = JSON.parse

/** Deeper values stay text, since functions that walk through them recurse. */
const maxDepth = 100

/** JSON without white space between its tokens and escapes that are not needed; `undefined` if it is too deep. */
const compact = (text: string): string | undefined => {
  let [result, depth] = ["", 0]
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') {
      const start = at++
      while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1
      const token = text.slice(start, at + 1)
      result += token.includes("\\") ? JSON.stringify(parse(token)) : token
    } else if (!/[ \t\n\r]/.test(character)) {
      result += character
      if (/[[{]/.test(character) && ++depth > maxDepth) return undefined
      if (/[\]}]/.test(character)) depth--
    }
  }
  return result
}

/**
 * An object or array of JSON that is the same once it has been parsed: no field twice, no number of 20 digits. Unless the
 * text is known to be JSON, its white space counts too.
 */
const readJson = (marked: string, isJson: boolean): Content | undefined => {
  // readers of text drop a byte order mark too
  const text = marked.replace(/^\ufeff/, "")
  if (!/^[ \t\n\r]*[[{]/.test(text)) return undefined
  const json = Result.try(() => {
    const compacted = compact(text)
    const value = compacted === undefined ? undefined : parse(text)
    return JSON.stringify(value) === (isJson ? compacted : marked) ? value : undefined
  })
  return Result.isSuccess(json) && json.success !== undefined ? { json: json.success } : undefined
}

const wideDecoder = new TextDecoder("utf-16le", { ignoreBOM: true, fatal: true })
/** Not every runtime decodes the big-endian form. */
const swap = (bytes: Uint8Array): Uint8Array => bytes.map((_, at) => bytes[at ^ 1] ?? 0)

/** The text of bytes; `undefined` if they are not UTF-8, or what `of` reads, or have control characters. */
export const textOf = (bytes: Uint8Array, of = decoder): string | undefined => {
  const text = Result.getOrUndefined(Result.try(() => of.decode(bytes)))
  return text === undefined || /[\0-\b\v\f\x0e-\x1f]/.test(text) ? undefined : text
}

/** Shows bytes in the most readable form that keeps them; if they are known to be JSON, in one that keeps their meaning. */
export const fromBytes = (bytes: Uint8Array, isJson: boolean): Content => {
  const text = textOf(bytes)
  if (text !== undefined) return readJson(text, isJson) ?? { text }
  const charset = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-16be"
  const wide = charset === "utf-16le" ? bytes : swap(bytes)
  const wideText = wide[0] === 0xff && wide[1] === 0xfe ? textOf(wide, wideDecoder) : undefined
  return wideText === undefined ? { base64: Base64.encode(bytes) } : { text: wideText, charset }
}

/** The bytes that a content stands for. */
export const toBytes = (content: Content): Uint8Array => {
  if ("json" in content) return encoder.encode(JSON.stringify(content.json))
  if (!("text" in content)) return Result.getOrThrow(Base64.decode(content.base64))
  const { charset, text } = content
  if (charset === undefined) return encoder.encode(text)
  const bytes = Uint8Array.from({ length: 2 * text.length }, (_, at) => text.charCodeAt(at >> 1) >> (8 * (at & 1)))
  return charset === "utf-16le" ? bytes : swap(bytes)
}
