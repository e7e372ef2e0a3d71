import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Base64 from "effect/encoding/Base64"
import * as Headers from "effect/http/Headers"
import * as SecretFinder from "@cloud-management/client/SecretFinder"

/** Stands in place of every secret, so that a request finds its recording whichever secret it has. */
export const placeholder = "[redacted]"

/** Shorter values of parameters are not secret. */
const size = 8

/** The secrets of a recording. */
export interface Secrets {
  /** Adds a secret, with longer texts that it can also be recognised by. */
  readonly add: (secret: string, ...within: ReadonlyArray<string>) => void
  /** Adds the secrets in the headers of these names. */
  readonly addHeaders: (headers: Headers.Headers, names: Parameters<typeof Headers.redact>[1]) => void
  /** Whether a text shows a secret. */
  readonly show: SecretFinder.SecretFinder["finds"]
  /** The text without secrets: the placeholder instead of those that are spelled out, else instead of all of it. */
  readonly redact: (text: string) => string
}

/** The secret of Basic credentials is the password, or the user where there is none (RFC 7617). */
const ofBasic = (digits: string): string | undefined => {
  const text = Result.getOrUndefined(Base64.decodeString(digits))
  if (text === undefined) return undefined
  const colon = text.indexOf(":")
  return text.slice(colon + 1) || text.slice(0, Math.max(0, colon))
}

const attributes = new Set(["domain", "expires", "max-age", "path", "samesite"])

/** The cookies that a response sets, without their attributes. Transports can put several into one header. */
const cookiesOf = (header: string): string =>
  header
    .split(/[;,]/)
    .filter((part) => part.includes("=") && !attributes.has((part.split("=", 1)[0] ?? "").trim().toLowerCase()))
    .join(";")

/** The token of a header, or the values of its parameters, of which short ones are not secret. */
const values = (header: string): ReadonlyArray<string> => {
  const parts = header.replace(/^[\w-]+ +/, "").split(/[\s,;]+/)
  if (parts.length === 1 && !header.includes("=")) return parts
  return parts
    .map((part) => {
      const equals = part.indexOf("=")
      const isPadding = /^=+$/.test(part.slice(equals))
      return (equals < 0 || isPadding ? part : part.slice(equals + 1)).replace(/^"|"$/g, "")
    })
    .filter(({ length }) => length >= size)
}

export const make = (): Secrets => {
  const finder = SecretFinder.make()
  const whole = new Set<string>()
  const add: Secrets["add"] = (text, ...within) => {
    const secret = text.toWellFormed()
    for (const spelling of within) whole.add(spelling)
    if (secret.trim() === "") return
    finder.add(secret)
    for (const spelling of SecretFinder.spellingsOf(secret)) whole.add(spelling)
  }
  const show = finder.finds
  return {
    add,
    addHeaders: (headers, names) => {
      for (const [name, value] of Object.entries(Headers.redact(headers, names))) {
        if (!Redacted.isRedacted(value)) continue
        const header = String(headers[name])
        const digits = /^basic +(\S+)$/i.exec(header)?.[1]
        const basic = digits === undefined ? undefined : ofBasic(digits)
        if (basic !== undefined) add(basic, ...(digits === undefined ? [] : [header, digits]))
        else for (const secret of values(name === "set-cookie" ? cookiesOf(header) : header)) add(secret)
      }
    },
    show,
    redact: (text) => {
      if (!show(text)) return text
      const longestFirst = [...whole].sort((a, b) => b.length - a.length)
      const replaced = longestFirst.reduce((text, spelling) => text.replaceAll(spelling, placeholder), text)
      return show(replaced) ? placeholder : replaced
    }
  }
}

/** Redacts the texts in a value, and the names of its fields. */
export const redactJson = (value: Schema.Json, redact: (text: string) => string): Schema.Json => {
  if (typeof value === "string") return redact(value)
  if (typeof value !== "object" || value === null) return value
  if (isArray(value)) return value.map((item) => redactJson(item, redact))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [redact(name), redactJson(item, redact)]))
}
const isArray = (value: Schema.JsonArray | Schema.JsonObject): value is Schema.JsonArray => Array.isArray(value)
