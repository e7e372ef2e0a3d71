import { Credentials } from "@cloud-management/client"
import type { Api, Scheme } from "../served/Api.ts"
import * as Request from "../served/Request.ts"

/** Fake credentials for a document, and which of them a request has. */
export interface Fakes {
  readonly credentials: Credentials.Credentials
  /** The schemes whose credentials a request has. */
  readonly sent: (received: Request.Received) => ReadonlySet<string>
  /** Those of several schemes whose credentials a request can have: of two for one header, the last. */
  readonly visible: (names: ReadonlyArray<string>) => ReadonlyArray<string>
  /** The parameters of the query that are credentials. */
  readonly query: ReadonlySet<string>
  /** The headers that are credentials, in lower case. */
  readonly headers: ReadonlySet<string>
  /** The cookies that are credentials. */
  readonly cookies: ReadonlySet<string>
}

/** Goes with operations that do not say which credentials they need: those that say it never send it. */
export const unnamed = "verify: no security"

interface Fake {
  readonly scheme: Parameters<typeof Credentials.schemes>[0][string]
  readonly where: "header" | "query" | "cookie"
  readonly name: string
  readonly value: string
}

const header = (name: string, value: string): Fake => ({
  where: "header",
  name: name.toLowerCase(),
  value,
  scheme: Credentials.header(name, value)
})

const fakeOf = (scheme: Scheme, secret: string): Fake => {
  if (scheme._tag === "Basic") return header("authorization", `Basic ${btoa(`name:${secret}`)}`)
  if (scheme._tag === "Bearer") return header("authorization", `Bearer ${secret}`)
  const { name, where } = scheme
  if (where === "query") return { where, name, value: secret, scheme: Credentials.query(name, secret) }
  if (where === "cookie") return { where, name, value: secret, scheme: Credentials.cookie(name, secret) }
  return header(name, secret)
}

/** Makes fake credentials for all schemes of a document. */
export const make = ({ schemes }: Api): Fakes => {
  const known = new Map<string, Fake>([[unnamed, header("x-verify-unnamed", "fake")]])
  for (const [i, [name, scheme]] of [...schemes].entries()) known.set(name, fakeOf(scheme, `fake-${i}`))
  const all = [...known.values()]
  const namesIn = (place: Fake["where"]) => new Set(all.flatMap(({ name, where }) => (where === place ? [name] : [])))
  return {
    credentials: Credentials.schemes(Object.fromEntries(Array.from(known, ([name, { scheme }]) => [name, scheme]))),
    sent: (received) =>
      new Set(
        Array.from(known).flatMap(([key, fake]) => (Request.textsAt(fake, received).includes(fake.value) ? [key] : []))
      ),
    visible: (names) => {
      const slotOf = (key: string) => (known.get(key)?.where === "header" ? `header ${known.get(key)?.name}` : key)
      return [...new Map(names.map((key) => [slotOf(key), key])).values()]
    },
    query: namesIn("query"),
    headers: namesIn("header"),
    cookies: namesIn("cookie")
  }
}
