import { isObject, type JsonObject } from "../read/Json.ts"
import * as Api from "./Api.ts"
import * as Digits from "./Digits.ts"
import * as Fields from "./Fields.ts"
import * as Judge from "./Judge.ts"
import * as LastPage from "./LastPage.ts"
import * as Media from "./Media.ts"
import { attempt } from "./References.ts"
import * as Reply from "./Reply.ts"
import * as Request from "./Request.ts"
import type { Respond } from "./Server.ts"
import * as Values from "./Values.ts"

const told = (status: number, message: string) => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ message })
})

const names = ["message", "detail", "error", "title", "msg", "description", "reason"]

/** The same body with a text, in each field of its own that can say why, and in a new one. */
const saying = (body: unknown, text: string): ReadonlyArray<unknown> => {
  if (!isObject(body)) return typeof body === "string" ? [text] : []
  const own = names.filter((name) => typeof body[name] === "string")
  return [...own, ...("message" in body ? [] : ["message"])].map((name) => ({ ...body, [name]: text }))
}

/** The response of a status, which comes before its range, and that before the default. */
const declared = ({ responses }: Api.Operation, status: string) =>
  [status, `${status[0]}XX`, "DEFAULT"].flatMap((own) => responses.filter(({ status }) => status === own))[0]

const has = (scheme: Api.Scheme, received: Request.Received): boolean =>
  scheme._tag === "Key"
    ? Request.textsAt(scheme, received).length > 0
    : received.headers.authorization?.toLowerCase().startsWith(`${scheme._tag.toLowerCase()} `) === true

const headerOf = (scheme: Api.Scheme): string | undefined =>
  scheme._tag !== "Key" ? "authorization" : scheme.where === "header" ? scheme.name.toLowerCase() : undefined

/** Whether a request has what all schemes need; of several for one header, it can have one. */
const hasAll = (all: ReadonlyArray<Api.Scheme>, received: Request.Received): boolean =>
  all.every((scheme) => {
    const header = headerOf(scheme)
    return all.some(
      (other) => (other === scheme || (header !== undefined && header === headerOf(other))) && has(other, received)
    )
  })

/** Lets pages of every origin call. A browser asks before it sends credentials or JSON (Fetch Standard §3.3). */
const withCors =
  (respond: Respond): Respond =>
  (received) => {
    const { headers, method } = received
    const { origin } = headers
    const wanted = headers["access-control-request-method"]
    if (origin === undefined) return respond(received)
    const own = { "access-control-allow-origin": origin, "access-control-allow-credentials": "true", vary: "origin" }
    if (method === "OPTIONS" && wanted !== undefined) {
      const asked = headers["access-control-request-headers"] ?? ""
      const allowed = { "access-control-allow-methods": wanted, "access-control-allow-headers": asked }
      return { status: 204, headers: { ...own, ...allowed }, body: "" }
    }
    const reply = respond(received)
    const names = Object.keys(reply.headers).join(", ")
    return { ...reply, headers: { ...reply.headers, ...own, "access-control-expose-headers": names } }
  }

/** The commas of a list that a client, or a proxy such as Prism's, took for a text. */
const withCommas = (received: Request.Received): Request.Received => ({
  ...received,
  query: received.query.map(([name, text]) => [name, text.replaceAll(/%2c/gi, ",")])
})

/** The query and the headers that each request of an operation has. */
const needed = ({ fixed, parameters }: Api.Operation): ReadonlyArray<string> => [
  ...Fields.pairs(fixed).map(([name]) => Fields.plain(name)),
  ...parameters.flatMap(({ isRequired, name, where }) =>
    !isRequired ? [] : where === "query" ? [name] : where === "header" ? [name.toLowerCase()] : []
  )
]

/** Responds to requests as a document says; what is wrong with a request is in the `message` of a 4xx. */
export const make = (root: JsonObject, seed: number): Respond => {
  const { operations, schemas, schemes } = Api.read(root)
  const maker = Values.maker(schemas)
  const { judges } = maker
  // in a path, a text comes before one with variables, and that before a variable
  const openness = ({ template }: Api.Operation) =>
    template.split("/").reduce((sum, part) => sum + (/^\{[^}]*\}$/.test(part) ? 1_000 : part.split("{").length - 1), 0)
  const all = operations.flatMap(({ read }) => attempt(read, () => [])).sort((a, b) => openness(a) - openness(b))

  const ofParameter = (operation: Api.Operation, one: Api.Parameter, received: Request.Received) => {
    const types = schemas.whole([one.schema]).types
    const shape = types?.has("array") === true ? "list" : types?.has("object") === true ? "object" : "one"
    const name = `the ${one.where} parameter ${one.name}`
    const given = Request.parameter(schemas, operation, one, shape, received)
    if (given === undefined && (!one.isRequired || one.isJson || shape === "one"))
      return one.isRequired ? `${name} is missing` : undefined
    // a list or an object that is empty sends nothing
    const found = given ?? { value: shape === "list" ? [] : {} }
    const wrong = judges[one.isJson ? "request" : "texts"](one.schema, found.value)
    return wrong === undefined ? undefined : `${name}: ${Judge.show(wrong)}`
  }
  const ofBody = ({ body }: Api.Operation, received: Request.Received) => {
    if (body === undefined) return undefined
    const type = received.headers["content-type"] ?? ""
    const content = Media.find(body.contents, type)
    // no bytes are a form without fields, and a text
    if (received.body.length === 0 && (type === "" || content?.kind === "json"))
      return body.isRequired ? "the body is missing" : undefined
    if (content === undefined) return `the content type ${type === "" ? "is missing" : `${type} is not declared`}`
    if (content.kind !== "json") return undefined
    const value = Digits.read(received.body.toString())
    if (value === undefined) return "the body is not JSON"
    const wrong = judges.request(content.schema, value)
    return wrong === undefined ? undefined : `the body: ${Judge.show(wrong)}`
  }

  /** A refusal of the mock's own, as the operation declares it. A client quotes no text with escapes of JSON. */
  const refused = (operation: Api.Operation, status: number, why: string) => {
    const text = why.replaceAll('"', "'")
    const content = declared(operation, String(status))?.contents.find(({ kind }) => kind === "json")
    if (content === undefined) return told(status, text)
    const reply = Reply.make(maker, status, content, { side: "response", isFull: true, skip: seed })
    const said = saying(reply.value, text).find((body) => judges.response(content.schema, body) === undefined)
    return said === undefined ? reply : { ...reply, body: Digits.stringify(said) }
  }

  const problemOf = (operation: Api.Operation, received: Request.Received) =>
    operation.parameters
      .map((one) => ofParameter(operation, one, received) && ofParameter(operation, one, withCommas(received)))
      .find((one) => one !== undefined) ?? ofBody(operation, received)

  const respond: Respond = (received) => {
    const { headers, method, path } = received
    const matching = all.filter((one) => one.method === method && Request.variables(one.template, path) !== undefined)
    // those of one path differ by what their requests need, such as /{key}?acl, or by their values, such as /{id} and /{name}
    const sent = new Set([...received.query.map(([name]) => Fields.plain(name)), ...Object.keys(headers)])
    const count = (one: Api.Operation) => {
      const names = needed(one)
      return names.every((name) => sent.has(name)) ? names.length : -1
    }
    const candidates = matching
      .filter((one) => openness(one) === openness(matching[0] ?? one))
      .toSorted((a, b) => count(b) - count(a))
      .map((operation) => ({ operation, problem: problemOf(operation, received) }))
    const { operation, problem } = candidates.find(({ problem }) => problem === undefined) ?? candidates[0] ?? {}
    if (operation === undefined) {
      // one that could not be read fails again, with its reason
      operations.find((one) => one.method === method && Request.variables(one.key, path) !== undefined)?.read()
      return told(404, `the document has no operation ${method} ${path}`)
    }
    const { responses, security = [] } = operation
    const known = security.map((names) => names.flatMap((name) => schemes.get(name) ?? []))
    if (known.length > 0 && !known.some((schemes) => hasAll(schemes, received))) {
      const names = security.map((names) => names.join(" and ")).join(", or ")
      return refused(operation, 401, `the request has no credentials of ${names}`)
    }
    const isOwn = (status: string) => responses.some((response) => response.status === status)
    if (problem !== undefined) return refused(operation, !isOwn("400") && isOwn("422") ? 422 : 400, problem)
    const [, code] = /\bcode=(\d\d\d)\b/.exec(String(headers["prefer"] ?? "")) ?? []
    // as for what is generated, the success can be a redirect, or the default
    const [success] = [/^2/, /^30[12378]$/, /^DEFAULT$/].flatMap((success) =>
      responses.filter(({ status }) => success.test(status))
    )
    const response = code === undefined ? success : declared(operation, code)
    if (response === undefined)
      return code === undefined
        ? { status: 204, headers: {}, body: "" }
        : told(404, `the operation declares no response ${code}`)
    const status = Number(code ?? response.status.replaceAll("X", "0")) || 200
    const content = Reply.contentOf(response, headers.accept ?? "*/*") ?? response.contents[0]
    const reply = (example?: number) =>
      Reply.make(maker, status, content, { side: "response", isFull: true, skip: seed, example })
    const own = reply(seed)
    const whole = own.made?.isApart === false && own.made.misfit() === undefined ? own : reply()
    return LastPage.of(schemas, content, whole, received)
  }
  return withCors((received) =>
    attempt(
      () => respond(received),
      (message) => told(501, `${received.method} ${received.path} cannot be served: ${message}`)
    )
  )
}
