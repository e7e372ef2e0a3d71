import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Headers from "effect/http/Headers"

/** Stands in place of every secret, so that a request finds its recording whichever secret it has. */
export const placeholder = "[redacted]"

const bytesOf = (text: string) => Array.from(new TextEncoder().encode(text))
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0")
const entities: Readonly<Record<string, string>> = { amp: "&", apos: "'", gt: ">", lt: "<", nbsp: " ", quot: '"' }
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const each = (text: string, spell: (character: string) => string) => Array.from(text, spell).join("")
const code = (character: string) => character.codePointAt(0) ?? 0
const latin1 = (text: string) => String.fromCharCode(...bytesOf(text))
const unit = (text: string, at: number) => `\\u${hex(text.charCodeAt(at), 4)}`

/** How a text is spelled by JSON, URLs, forms, HTML and hexadecimal, or by a reader that takes UTF-8 for Latin-1. */
const spellings: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  encodeURIComponent,
  (text) => new URLSearchParams({ "": text }).toString().slice(1),
  (text) => Hex.encode(text).replace(/../g, "%$&"),
  inJson,
  (text) => inJson(text).replaceAll("/", "\\/"),
  (text) => inJson(text).replace(/[^ -;=?-~]/g, (character) => unit(character, 0)),
  (text) => Array.from({ length: text.length }, (_, at) => unit(text, at)).join(""),
  (text) => text.replace(/[&<>"']/g, (mark) => `&${{ "&": "amp", "<": "lt", ">": "gt", '"': "quot" }[mark] ?? "#39"};`),
  (text) => each(text, (character) => `&#${code(character)};`),
  (text) => each(text, (character) => `&#x${hex(code(character), 2)};`),
  (text) => Hex.encode(text),
  latin1
]

/** Base64, wherever the text begins in what is encoded, and without the digits that others than the text determine. */
const base64 = (text: string): ReadonlyArray<string> =>
  ["", "a", "ab"].map((before) => {
    const { length } = bytesOf(before + text)
    const start = Math.ceil((before.length * 8) / 6)
    return Base64.encode(before + text).slice(start, Math.floor((length * 8) / 6))
  })
const base64Url = (digits: string) => digits.replaceAll("+", "-").replaceAll("/", "_")

const utf8 = new TextDecoder()
const fromHex = (digits: string) =>
  Result.getOrElse(
    Result.map(Hex.decode(digits), (bytes) => utf8.decode(bytes)),
    () => digits
  )
const fromCode = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : "")
const inString: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }
const hexadecimal = (odd: number) => (text: string) =>
  text.replace(/[\da-f]{16,}/gi, (run) => {
    const even = run.length - ((run.length - odd) % 2)
    return run.slice(0, odd) + fromHex(run.slice(odd, even)) + run.slice(even)
  })

/** One kind of escape each, since a secret can look like an escape of another kind. */
const unescapes: ReadonlyArray<(text: string) => string> = [
  (text) => text.replace(/(?:%[\da-f]{2})+/gi, (run) => fromHex(run.replaceAll("%", ""))),
  (text) =>
    text.replace(/\\u[\da-f]{4}|\\[^]/gi, (run) =>
      run.length === 6
        ? String.fromCharCode(Number.parseInt(run.slice(2), 16))
        : (inString[run.slice(1).toLowerCase()] ?? run.slice(1))
    ),
  (text) =>
    text.replace(/&#x[\da-f]{1,6};|&#\d{1,7};|&[a-z]{2,4};/gi, (run) => {
      if (!run.startsWith("&#")) return entities[run.slice(1, -1).toLowerCase()] ?? run
      return /^&#x/i.test(run)
        ? fromCode(Number.parseInt(run.slice(3), 16))
        : fromCode(Number.parseInt(run.slice(2), 10))
    }),
  hexadecimal(0),
  hexadecimal(1)
]

/** A text as it is, and with up to `layers` layers of escapes removed. */
const readings = (text: string, layers: number): ReadonlySet<string> => {
  const all = new Set([text])
  let last: ReadonlyArray<string> = [text]
  for (let layer = 0; layer < layers && last.length > 0; layer++) {
    last = last.flatMap((text) => unescapes.map((unescape) => unescape(text))).filter((text) => !all.has(text))
    for (const text of last) all.add(text)
  }
  return all
}

const folded = (text: string) => text.replace(/\s+/g, " ")

/** A secret shows when so many of its characters do, in a row. */
const size = 8
/** Of longer secrets, such as a JSON Web Token, only the start is searched for in base64 of its escapes. */
const mostEncoded = 256

/** The secrets of a recording. */
export interface Secrets {
  /** Adds a secret, with longer texts that it can also be recognised by. */
  readonly add: (secret: string, ...within: ReadonlyArray<string>) => void
  /** Adds the secrets in the headers of these names. */
  readonly addHeaders: (headers: Headers.Headers, names: Parameters<typeof Headers.redact>[1]) => void
  /** Whether a text shows 8 characters of a secret, in any letter case, within two encodings. */
  readonly show: (text: string) => boolean
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
  const known = new Set<string>()
  const whole = new Set<string>()
  /** Runs of characters that must not show, by length; in lower case, since letter case does not count. */
  const windows = new Map<number, Set<string>>()
  const addWindows = (text: string, length: number) => {
    const runs = windows.get(length) ?? new Set<string>()
    windows.set(length, runs)
    const lower = text.toLowerCase()
    for (let at = 0; at + length <= lower.length; at++) {
      const window = lower.slice(at, at + length)
      if (window.trim() !== "") runs.add(window)
    }
  }
  const add: Secrets["add"] = (text, ...within) => {
    const secret = text.toWellFormed()
    for (const spelling of within) whole.add(spelling)
    if (known.has(secret) || secret.trim() === "") return
    known.add(secret)
    const padded = Base64.encode(secret)
    for (const digits of [padded, padded.replaceAll("=", "")]) whole.add(digits).add(base64Url(digits))
    for (const spell of spellings) whole.add(spell(secret))
    for (const plain of [secret, folded(secret), latin1(secret), latin1(latin1(secret))]) {
      addWindows(plain, Math.min(size, plain.length))
    }
    const start = secret.slice(0, mostEncoded).toWellFormed()
    const once = spellings.flatMap((spell) => base64(spell(start)))
    const twice = base64(start).flatMap((digits) => [digits, base64Url(digits)].flatMap(base64))
    for (const digits of [...once, ...twice]) addWindows(digits, Math.min(size, digits.length))
  }
  const found = (text: string): boolean => {
    for (const [length, runs] of windows) {
      for (let at = 0; at + length <= text.length; at++) if (runs.has(text.slice(at, at + length))) return true
    }
    return false
  }
  const show = (text: string): boolean => {
    if (known.size === 0) return false
    for (const reading of readings(text, 3)) {
      const lower = reading.toLowerCase()
      const forms = [lower, folded(lower), folded(lower.replaceAll("+", " "))]
      forms.push(lower.replaceAll("-", "+").replaceAll("_", "/"))
      if ([...new Set(forms)].some(found)) return true
    }
    return false
  }
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
