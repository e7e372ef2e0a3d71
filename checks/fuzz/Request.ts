import type { Dice } from "../fixtures/Dice.ts"
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

const caller = (dice: Dice, tenant: Tenant): Caller => {
  const { disabled, expired, main, spares } = tenant
  const { id, secret } = dice.chance(0.2) ? (spares[dice.below(spares.length)] ?? main) : main
  if (dice.chance(0.7)) {
    const scheme = dice.pick(["Basic", "basic", "BASIC", "bAsIc"])
    const spaces = " ".repeat(1 + dice.below(3))
    const user = dice.chance(0.2) ? id.toUpperCase() : id
    return { authorization: `${scheme}${spaces}${basic(user, secret)}`, key: { id, secret } }
  }
  const authorization = dice.pick<string | undefined>([
    undefined,
    "",
    "Basic",
    `Bearer ${basic(id, secret)}`,
    `Basic${basic(id, secret)}`,
    `Basic ${id}:${secret}`.replace("✓", "x"),
    `Basic ${basic(id, `${secret} `)}`,
    `Basic ${basic(id, dice.text(10))}`,
    `Basic ${basic(dice.text(8), secret)}`,
    `Basic ${basic(secret, id)}`,
    `Basic ${basic(missing, secret)}`,
    `Basic ${basic(disabled.id, disabled.secret)}`,
    `Basic ${basic(expired.id, expired.secret)}`,
    `Basic ${Buffer.from(id).toString("base64")}`,
    `Basic ${Buffer.from(dice.text(12, 0, 0xff), "latin1").toString("base64")}`,
    `Basic ${basic(id, secret).slice(0, -3)}`,
    `Basic =${basic(id, secret)}`,
    // other schemes have commas
    `Digest username="${dice.text(5, 0x61, 0x7a)}", realm="x"`,
    dice.text(dice.below(60), 0x21, 0x7e)
  ])
  return { authorization, key: undefined }
}

const invalidIds = ["x", ".", "..", "%2e%2e", "%00", "%0d%0a", "%", "%zz", "%c0%af", "%2F", "a%2Fb", "*", "~", "'", ";"]

/** The same ID in another spelling. */
const spell = (dice: Dice, id: string): string => {
  const cased = dice.chance(0.2) ? id.toUpperCase() : id
  if (!dice.chance(0.1)) return cased
  return cased.replace(/./g, (character) =>
    dice.chance(0.3) ? `%${character.charCodeAt(0).toString(16).padStart(2, "0")}` : character
  )
}

type Target = { readonly path: string; readonly methods: ReadonlyArray<string>; readonly status: number }

/** An operation with its answer for a key that is valid. */
const operation = (dice: Dice, tenant: Tenant, others: ReadonlyArray<Tenant>, key: Key): Target => {
  if (dice.chance(0.2)) return { path: "/v1/organizations", methods: ["GET", "HEAD"], status: 200 }
  const other = others[dice.below(others.length)] ?? tenant
  const kind = dice.next()
  const invalid = dice.pick(["x", ...invalidIds])
  const [organization, ofOrganization] =
    kind < 0.7
      ? [spell(dice, tenant.organization), 200]
      : kind < 0.8
        ? [spell(dice, other.organization), 403]
        : kind < 0.9
          ? [spell(dice, missing), 403]
          : [invalid, 400]
  const root = `/v1/organizations/${organization}`
  if (dice.chance(0.3)) {
    const spare = tenant.spares[dice.below(tenant.spares.length)]
    const [id, ofKey] = dice.pick<readonly [string, number]>([
      [spell(dice, key.id), 400],
      [spell(dice, missing), 404],
      [spell(dice, other.main.id), other === tenant && key.id === other.main.id ? 400 : 404],
      [invalid, 400],
      spare === undefined || spare.id === key.id ? [spell(dice, missing), 404] : [spell(dice, spare.id), 200]
    ])
    const status = ofOrganization === 200 ? ofKey : ofOrganization
    return { path: `${root}/keys/${id}`, methods: ["DELETE"], status }
  }
  const [service, ofService] = dice.pick<readonly [string, number]>([
    [spell(dice, tenant.service), 200],
    [spell(dice, tenant.service), 200],
    [spell(dice, other.service), 404],
    [invalid, 400]
  ])
  const [endpoint, ofEndpoint] = dice.pick<readonly [string, number]>([
    [spell(dice, tenant.endpoint), 200],
    [spell(dice, other.endpoint), 404],
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

const form = (dice: Dice): Form =>
  dice.pick<() => Form>([
    () => ({
      headers: [
        ["Connection", "Upgrade"],
        ["Upgrade", dice.pick(["websocket", "h2c", "x/1"])]
      ],
      closes: true
    }),
    () => ({ headers: [["Upgrade", "websocket"]], closes: true }),
    () => ({ headers: [["Expect", dice.pick(["100-continue", "100-Continue"])]] }),
    () => ({ headers: [["Expect", dice.pick(["more", "100-continue, more", "100"])]], status: 417 }),
    () => ({ host: dice.pick(["a.example", "A:80", "[::1]:8080", "192.0.2.1", "a_b", "x.:", "%41", "a;b=(c)"]) }),
    () => ({
      host: dice.pick(["", "a b", "a/b", "u@h", "h:x", "a,b", "[::1", "%4", "http://h", "\u00e9"]),
      status: 400
    }),
    () => ({ origin: dice.pick(["http://fuzz", "http://a.example:8443", "HTTP://[::1]", "http://127.0.0.1:1"]) }),
    () => ({ origin: dice.pick(["https://fuzz", "HTTPS://a.example:8443"]), status: 421 }),
    () => ({
      origin: dice.pick(["ftp://fuzz", "ws://fuzz", "http://u:p@fuzz", "http://a:b", "http://"]),
      status: 400
    }),
    () => ({ method: dice.pick(["FOO", "get", "GETS", "X-A", "_", "BREW", "OPTION"]), status: 501 }),
    () => ({ method: "CONNECT", status: 501 }),
    () => ({
      method: "OPTIONS",
      headers: [
        ["Origin", dice.pick(origins)],
        ["Access-Control-Request-Method", dice.pick(["GET", "DELETE", "PUT"])]
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
    () => ({ method: "OPTIONS", headers: [["Origin", dice.pick(origins)]] }),
    () => ({ headers: [["Origin", dice.pick([...origins, strangeOrigin])]] })
  ])()

const headers = (dice: Dice) =>
  Array.from({ length: dice.below(4) }, () => [`X-${dice.below(1e6)}`, dice.text(dice.below(40), 0x20)] as const)

/** A request of a tenant. The model forgets a spare key with the request that deletes it. */
export const make = (dice: Dice, tenant: Tenant, others: ReadonlyArray<Tenant>): Request => {
  const { authorization, key } = caller(dice, tenant)
  const kind = dice.next()
  const target: Target =
    kind < 0.75
      ? operation(dice, tenant, others, key ?? tenant.main)
      : kind < 0.85
        ? { path: dice.pick(unrouted), methods: [...methods], status: 404 }
        : kind < 0.9
          ? {
              path: `/${encodeURIComponent(dice.text(dice.below(40), 0, 0x7e))}x`,
              methods: [...methods],
              status: 404
            }
          : { path: dice.pick(pages), methods: ["GET", "HEAD"], status: 200 }
  const isPage = kind >= 0.75
  const special: Form = dice.chance(0.2) ? form(dice) : {}
  const method =
    special.method ??
    (dice.chance(0.9) ? (target.methods[dice.below(target.methods.length)] ?? "GET") : dice.pick(methods))
  const isRefused = special.status !== undefined && special.status >= 400
  const query = dice.chance(0.2) ? `?${dice.text(dice.below(30)).replace(/[#\\]/g, "")}` : ""
  const long = !isRefused && dice.chance(0.005) ? `?${"a".repeat(2048)}` : ""
  const size = !isRefused && dice.chance(0.1) ? dice.below(dice.chance(0.1) ? 70_000 : 200) : 0
  const chunked = size > 0 && dice.chance(0.5)
  const repeated = !isRefused && authorization !== undefined && dice.chance(0.01)

  const body = dice
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
      ...headers(dice),
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
