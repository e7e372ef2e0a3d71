import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Base64 from "effect/encoding/Base64"
import * as Headers from "effect/http/Headers"
import * as SecretFinder from "@cloud-management/client/SecretFinder"

/** Stands in place of every secret, so that a request finds its recording whichever secret it has. */
export const placeholder = "[redacted]"

/** The secret of Basic credentials is the password, or the user where there is none (RFC 7617). */
const ofBasic = (digits: string): string | undefined => {
  const [, user = "", password = ""] =
    /^([^:]*):(.*)/s.exec(Result.getOrElse(Base64.decodeString(digits), () => "")) ?? []
  return password || user || undefined
}

const attribute = /^\s*(domain|expires|max-age|path|samesite)=/i

/** The token of a header, or the values of its parameters or cookies, of which those below 8 characters are not secret. */
const valuesOf = (name: string, header: string): ReadonlyArray<string> => {
  const parts =
    name === "set-cookie"
      ? header.split(/[;,]/).filter((part) => part.includes("=") && !attribute.test(part))
      : header.replace(/^[\w-]+ +/, "").split(/[\s,;]+/)
  if (parts.length === 1 && !header.includes("=")) return parts
  const value = (part: string) => {
    const [, named = ""] = part.split(/=(.*)/s)
    // padding ends a token
    return (/[^=]/.test(named) ? named : part).trim().replace(/^"|"$/g, "")
  }
  return parts.map(value).filter(({ length }) => length >= 8)
}

export const make = () => {
  const finder = SecretFinder.make()
  const spelled = new Set<string>()
  /** Adds a secret, with longer texts that it can also be recognised by. */
  const add = (secret: string, ...within: ReadonlyArray<string>) => {
    finder.add(secret)
    for (const text of [...within, ...SecretFinder.spellingsOf(secret)]) if (text.trim() !== "") spelled.add(text)
  }
  const addHeaders = (headers: Headers.Headers, names: Parameters<typeof Headers.redact>[1]) => {
    for (const [name, value] of Object.entries(Headers.redact(headers, names))) {
      if (!Redacted.isRedacted(value)) continue
      const header = headers[name] ?? ""
      const [, digits = ""] = /^basic +(\S+)$/i.exec(header) ?? []
      const basic = ofBasic(digits)
      if (basic !== undefined) add(basic, header, digits)
      else for (const secret of valuesOf(name, header)) add(secret)
    }
  }
  /** The text without secrets: the placeholder instead of those that are spelled out, else instead of all of it. */
  const redact = (text: string): string => {
    if (!finder.finds(text)) return text
    const longestFirst = [...spelled].sort((a, b) => b.length - a.length)
    const replaced = longestFirst.reduce((text, spelling) => text.replaceAll(spelling, placeholder), text)
    return finder.finds(replaced) ? placeholder : replaced
  }
  return { add, addHeaders, redact, show: finder.finds }
}
export type Secrets = ReturnType<typeof make>
