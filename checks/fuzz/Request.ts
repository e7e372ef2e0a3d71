import type { Chance } from "./Chance.ts"
import type { Key, Tenant } from "./Tenant.ts"

/** A request that HTTP allows, and the answer that the specification has for it. */
export interface Request {
  readonly method: string
  readonly target: string
  readonly host: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Latin 1: a character is a byte. */
  readonly body: string
  readonly status: number
  /** Whether the caller is asked for the body. */
  readonly continues: boolean
  /** Whether the connection ends with the answer. */
  readonly closes: boolean
}

const basic = (user: string, secret: string) => Buffer.from(`${user}:${secret}`).toString("base64")
const missing = "00000000-0000-4000-8000-000000000000"

type Caller = { readonly authorization: string | undefined; readonly key: Key | undefined }

const caller = (chance: Chance, tenant: Tenant): Caller => {
  const { disabled, expired, main, spares } = tenant
  const { id, secret } = chance.happens(0.2) ? (spares[chance.below(spares.length)] ?? main) : main
  if (chance.happens(0.7)) {
    const scheme = chance.pick(["Basic", "basic", "BASIC", "bAsIc"])
    const spaces = " ".repeat(1 + chance.below(3))
    const user = chance.happens(0.2) ? id.toUpperCase() : id
    return { authorization: `${scheme}${spaces}${basic(user, secret)}`, key: { id, secret } }
  }
  const authorization = chance.pick<string | undefined>([
    undefined,
    "",
    "Basic",
    `Bearer ${basic(id, secret)}`,
    `Basic${basic(id, secret)}`,
    `Basic ${id}:${secret}`.replace("✓", "x"),
    `Basic ${basic(id, `${secret} `)}`,
    `Basic ${basic(id, chance.text(10))}`,
    `Basic ${basic(chance.text(8), secret)}`,
    `Basic ${basic(secret, id)}`,
    `Basic ${basic(missing, secret)}`,
    `Basic ${basic(disabled.id, disabled.secret)}`,
    `Basic ${basic(expired.id, expired.secret)}`,
    `Basic ${Buffer.from(id).toString("base64")}`,
    `Basic ${Buffer.from(chance.text(12, 0, 0xff), "latin1").toString("base64")}`,
    `Basic ${basic(id, secret).slice(0, -3)}`,
    `Basic =${basic(id, secret)}`,
    // other schemes have commas
    `Digest username="${chance.text(5, 0x61, 0x7a)}", realm="x"`,
    chance.text(chance.below(60), 0x21, 0x7e)
  ])
  return { authorization, key: undefined }
}

const invalidIds = ["x", ".", "..", "%2e%2e", "%00", "%0d%0a", "%", "%zz", "%c0%af", "%2F", "a%2Fb", "*", "~", "'", ";"]

/** The same ID in another spelling. */
const spell = (chance: Chance, id: string): string => {
  const cased = chance.happens(0.2) ? id.toUpperCase() : id
  if (!chance.happens(0.1)) return cased
  return cased.replace(/./g, (character) =>
    chance.happens(0.3) ? `%${character.charCodeAt(0).toString(16).padStart(2, "0")}` : character
  )
}

type Target = { readonly path: string; readonly methods: ReadonlyArray<string>; readonly status: number }

/** An operation with its answer for a key that is valid. */
const operation = (chance: Chance, tenant: Tenant, others: ReadonlyArray<Tenant>, key: Key): Target => {
  if (chance.happens(0.2)) return { path: "/v1/organizations", methods: ["GET", "HEAD"], status: 200 }
  const other = others[chance.below(others.length)] ?? tenant
  const kind = chance.next()
  const invalid = chance.pick(["x", ...invalidIds])
  const [organization, ofOrganization] =
    kind < 0.7
      ? [spell(chance, tenant.organization), 200]
      : kind < 0.8
        ? [spell(chance, other.organization), 403]
        : kind < 0.9
          ? [spell(chance, missing), 403]
          : [invalid, 400]
  const root = `/v1/organizations/${organization}`
  if (chance.happens(0.3)) {
    const spare = tenant.spares[chance.below(tenant.spares.length)]
    const [id, ofKey] = chance.pick<readonly [string, number]>([
      [spell(chance, key.id), 400],
      [spell(chance, missing), 404],
      [spell(chance, other.main.id), other === tenant && key.id === other.main.id ? 400 : 404],
      [invalid, 400],
      spare === undefined || spare.id === key.id ? [spell(chance, missing), 404] : [spell(chance, spare.id), 200]
    ])
    const status = ofOrganization === 200 ? ofKey : ofOrganization
    return { path: `${root}/keys/${id}`, methods: ["DELETE"], status }
  }
  const [service, ofService] = chance.pick<readonly [string, number]>([
    [spell(chance, tenant.service), 200],
    [spell(chance, tenant.service), 200],
    [spell(chance, other.service), 404],
    [invalid, 400]
  ])
  const [endpoint, ofEndpoint] = chance.pick<readonly [string, number]>([
    [spell(chance, tenant.endpoint), 200],
    [spell(chance, other.endpoint), 404],
    [invalid, 400]
  ])
  const statuses = [ofOrganization, ofService, ofEndpoint]
  const status = ofOrganization === 403 ? 403 : statuses.includes(400) ? 400 : statuses.includes(404) ? 404 : 200
  return {
    path: `${root}/services/${service}/pipesReversePrivateEndpoints/${endpoint}`,
    methods: ["GET", "HEAD"],
    status
  }
}

const methods = ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH", "OPTIONS", "PROPFIND", "TRACE"] as const
const unrouted = [
  "/",
  "/v1",
  "/v1/",
  "/V1/organizations",
  "/v1/organizations/",
  "//v1/organizations",
  "/v1//organizations",
  "/v1/organizations/x",
  "/v1/./organizations",
  "/v1/organizations/../organizations",
  "/v1/organizations%2f",
  "/.env",
  "/%00",
  "/health/",
  "/constructor",
  "/__proto__"
] as const

const pages = ["/health", "/ready", "/openapi.json"] as const

/** Origins that the service lists, and one that it does not. */
export const origins: readonly [string, string] = ["https://app.example.com", "http://localhost:5173"]
const strangeOrigin = "https://evil.example"

/** What HTTP allows beside the usual, and how the answer differs from the usual one. */
interface Form {
  readonly method?: string
  readonly host?: string
  /** What comes before the path of the target. */
  readonly origin?: string
  readonly headers?: Request["headers"]
  /** The status, whatever is asked for. */
  readonly status?: number
  readonly closes?: boolean
}

const form = (chance: Chance): Form =>
  chance.pick<() => Form>([
    () => ({
      headers: [
        ["Connection", "Upgrade"],
        ["Upgrade", chance.pick(["websocket", "h2c", "x/1"])]
      ],
      closes: true
    }),
    () => ({ headers: [["Upgrade", "websocket"]], closes: true }),
    () => ({ headers: [["Expect", chance.pick(["100-continue", "100-Continue"])]] }),
    () => ({ headers: [["Expect", chance.pick(["more", "100-continue, more", "100"])]], status: 417 }),
    () => ({ host: chance.pick(["a.example", "A:80", "[::1]:8080", "192.0.2.1", "a_b", "x.:", "%41", "a;b=(c)"]) }),
    () => ({
      host: chance.pick(["", "a b", "a/b", "u@h", "h:x", "a,b", "[::1", "%4", "http://h", "\u00e9"]),
      status: 400
    }),
    () => ({ origin: chance.pick(["http://fuzz", "http://a.example:8443", "HTTP://[::1]", "http://127.0.0.1:1"]) }),
    () => ({ origin: chance.pick(["https://fuzz", "HTTPS://a.example:8443"]), status: 421 }),
    () => ({
      origin: chance.pick(["ftp://fuzz", "ws://fuzz", "http://u:p@fuzz", "http://a:b", "http://"]),
      status: 400
    }),
    () => ({ method: chance.pick(["FOO", "get", "GETS", "X-A", "_", "BREW", "OPTION"]), status: 501 }),
    () => ({ method: "CONNECT", status: 501 }),
    () => ({
      method: "OPTIONS",
      headers: [
        ["Origin", chance.pick(origins)],
        ["Access-Control-Request-Method", chance.pick(["GET", "DELETE", "PUT"])]
      ],
      status: 204
    }),
    () => ({
      method: "OPTIONS",
      headers: [
        ["Origin", strangeOrigin],
        ["Access-Control-Request-Method", "GET"]
      ]
    }),
    () => ({ method: "OPTIONS", headers: [["Origin", chance.pick(origins)]] }),
    () => ({ headers: [["Origin", chance.pick([...origins, strangeOrigin])]] })
  ])()

const headers = (chance: Chance) =>
  Array.from(
    { length: chance.below(4) },
    () => [`X-${chance.below(1e6)}`, chance.text(chance.below(40), 0x20)] as const
  )

/** A request of a tenant. The model forgets a spare key with the request that deletes it. */
export const make = (chance: Chance, tenant: Tenant, others: ReadonlyArray<Tenant>): Request => {
  const { authorization, key } = caller(chance, tenant)
  const kind = chance.next()
  const target: Target =
    kind < 0.75
      ? operation(chance, tenant, others, key ?? tenant.main)
      : kind < 0.85
        ? { path: chance.pick(unrouted), methods: [...methods], status: 404 }
        : kind < 0.9
          ? {
              path: `/${encodeURIComponent(chance.text(chance.below(40), 0, 0x7e))}x`,
              methods: [...methods],
              status: 404
            }
          : { path: chance.pick(pages), methods: ["GET", "HEAD"], status: 200 }
  const isPage = kind >= 0.75
  const special: Form = chance.happens(0.2) ? form(chance) : {}
  const method =
    special.method ??
    (chance.happens(0.9) ? (target.methods[chance.below(target.methods.length)] ?? "GET") : chance.pick(methods))
  const isRefused = special.status !== undefined && special.status >= 400
  const query = chance.happens(0.2) ? `?${chance.text(chance.below(30)).replace(/[#\\]/g, "")}` : ""
  const long = !isRefused && chance.happens(0.005) ? `?${"a".repeat(2048)}` : ""
  const size = !isRefused && chance.happens(0.1) ? chance.below(chance.happens(0.1) ? 70_000 : 200) : 0
  const chunked = size > 0 && chance.happens(0.5)
  const repeated = !isRefused && authorization !== undefined && chance.happens(0.01)

  const body = chance
    .text(Math.min(size, 100), 0, 0xff)
    .repeat(Math.ceil(size / 100))
    .slice(0, size)
  const whole = method === "CONNECT" ? "fuzz:443" : (special.origin ?? "") + target.path + query + long
  const isLarge = size > 65_536
  // the head alone decides about these
  const early = repeated ? 400 : whole.length > 2048 ? 414 : isLarge && !chunked ? 413 : special.status
  const decided =
    early ??
    (target.status === 404 && isPage
      ? 404
      : !target.methods.includes(method)
        ? 405
        : !isPage && key === undefined
          ? 401
          : undefined)
  const status = decided !== undefined && decided !== 204 ? decided : isLarge ? 413 : (decided ?? target.status)
  if (method === "DELETE" && status === 200) {
    const gone = decodeURIComponent(target.path.split("/").at(-1) ?? "").toLowerCase()
    tenant.spares.splice(
      tenant.spares.findIndex(({ id }) => id === gone),
      1
    )
  }
  const authorizations = authorization === undefined ? [] : [["Authorization", authorization] as const]
  const expects = special.headers?.some(([name]) => name === "Expect") === true
  const continues = expects && size > 0 && (decided === undefined || decided === 204)
  return {
    method,
    target: whole,
    host: special.host ?? "fuzz",
    headers: [
      ...headers(chance),
      ...(special.headers ?? []),
      ...authorizations,
      ...(repeated ? authorizations : []),
      ...(size === 0
        ? []
        : [chunked ? (["Transfer-Encoding", "chunked"] as const) : (["Content-Length", `${size}`] as const)])
    ],
    body: chunked ? `${size.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body,
    status,
    continues,
    closes:
      special.closes === true ||
      (early !== undefined && early !== 204) ||
      (size > 0 && status >= 400) ||
      // a caller that was not asked for a body may send it all the same
      (expects && !continues)
  }
}

/** As bytes, one character each. */
export const encode = ({ body, headers, host, method, target }: Request): string =>
  [
    `${method} ${target} HTTP/1.1`,
    `Host: ${host}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    "",
    body
  ].join("\r\n")

/** A deletion that would succeed, if it was looked at: the model does not know of it. */
export const stowaway = ({ main, organization, spares }: Tenant): string => {
  const path = `/v1/organizations/${organization}/keys/${spares[0]?.id ?? missing}`
  return `DELETE ${path} HTTP/1.1\r\nHost: fuzz\r\nAuthorization: Basic ${basic(main.id, main.secret)}\r\n\r\n`
}
