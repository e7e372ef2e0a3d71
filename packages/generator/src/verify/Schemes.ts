import * as Credentials from "@cloud-management/client/Credentials"
import * as Redacted from "effect/Redacted"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { Document } from "../Document.ts"
import { object, text } from "../Json.ts"
import type { Received } from "./Server.ts"

/** Fake credentials of a document, and which of them a request has. */
export interface Schemes {
  readonly credentials: Credentials.Credentials
  /** The schemes whose credentials a request has. */
  readonly sent: (received: Received) => ReadonlySet<string>
  /** Those of several schemes whose credentials a request can have: of two for one header, the last. */
  readonly visible: (names: ReadonlyArray<string>) => ReadonlyArray<string>
  /** The parameters of the query that are credentials. */
  readonly query: ReadonlySet<string>
  /** The headers that are credentials, in lower case. */
  readonly headers: ReadonlySet<string>
}

/** Goes with operations that do not say which credentials they need: those that say it never send it. */
export const unnamed = "verify: no security"

interface Known {
  readonly scheme: Credentials.Credentials
  readonly where: "header" | "query"
  readonly name: string
  readonly value: string
}

const authorization = (kind: string, secret: string): Known => ({
  where: "header",
  name: "authorization",
  value: `${kind} ${secret}`,
  scheme: {
    secrets: [Redacted.make(secret)],
    sign: (request, [secret = ""]) => HttpClientRequest.setHeader(request, "authorization", `${kind} ${secret}`)
  }
})

const header = (name: string, value: string): Known => ({
  where: "header",
  name: name.toLowerCase(),
  value,
  scheme: Credentials.header(name, value)
})

const schemeOf = (node: unknown, secret: string): Known | undefined => {
  const name = text(node, "name") ?? ""
  switch (text(node, "type")) {
    case "mutualTLS":
      return undefined
    case "apiKey": {
      const where = text(node, "in")
      if (where === "cookie") return header("cookie", `${name}=${secret}`)
      if (where === "query") return { where, name, value: secret, scheme: Credentials.query(name, secret) }
      return header(name, secret)
    }
    case "http": {
      const kind = (text(node, "scheme") ?? "bearer").toLowerCase()
      return kind === "basic" ? authorization("Basic", btoa(`name:${secret}`)) : authorization("Bearer", secret)
    }
    default:
      return authorization("Bearer", secret)
  }
}

/** Makes fake credentials for all schemes of a document. */
export const make = (document: Document): Schemes => {
  const declared = Object.entries(object(object(document.root, "components"), "securitySchemes"))
  const known = new Map<string, Known>([[unnamed, header("x-verify-unnamed", "fake")]])
  for (const [i, [name, node]] of declared.entries()) {
    const scheme = schemeOf(document.follow({ node, pointer: "#" }).node, `fake-${i}`)
    if (scheme !== undefined) known.set(name, scheme)
  }
  const all = [...known.values()]
  return {
    credentials: Credentials.schemes(Object.fromEntries(Array.from(known, ([name, { scheme }]) => [name, scheme]))),
    sent: ({ headers, query }) =>
      new Set(
        Array.from(known).flatMap(([key, { name, value, where }]) => {
          const isSent =
            where === "header"
              ? headers[name] === value
              : query.some(([other, text]) => other === name && text === value)
          return isSent ? [key] : []
        })
      ),
    visible: (names) => {
      const slotOf = (key: string) => (known.get(key)?.where === "header" ? `header ${known.get(key)?.name}` : key)
      return [...new Map(names.map((key) => [slotOf(key), key])).values()]
    },
    query: new Set(all.flatMap(({ name, where }) => (where === "query" ? [name] : []))),
    headers: new Set(all.flatMap(({ name, where }) => (where === "header" ? [name] : [])))
  }
}
