import type { Operation } from "@cloud-management/client"
import { isObject } from "../read/Json.ts"
import type * as Api from "../served/Api.ts"
import * as Digits from "../served/Digits.ts"
import * as Example from "../served/Example.ts"
import * as Fields from "../served/Fields.ts"
import * as Judge from "../served/Judge.ts"
import * as Media from "../served/Media.ts"
import * as Request from "../served/Request.ts"
import type { Schemas } from "../served/Schemas.ts"
import type { Maker } from "../served/Values.ts"
import * as Credentials from "./Credentials.ts"
import * as Difference from "./Difference.ts"
import * as Sample from "./Sample.ts"

export interface Checks extends Pick<Maker, "schemas" | "judges"> {
  readonly fakes: Credentials.Fakes
}

/** Headers that clients and connections add. */
const usual = new Set(
  (
    "accept accept-encoding accept-language authorization b3 baggage connection content-length content-type cookie host keep-alive " +
    "sec-fetch-mode traceparent tracestate transfer-encoding user-agent expect"
  ).split(" ")
)

const shapeOf = (value: unknown): Fields.Shape => (Array.isArray(value) ? "list" : isObject(value) ? "object" : "one")

const parameters = (
  target: Api.Operation,
  operation: Operation.Any,
  input: Sample.Sample,
  received: Request.Received,
  { fakes, judges, schemas }: Checks
): string | undefined => {
  if (Request.variables(target.template, received.path) === undefined)
    return `the path is ${received.path}, not ${target.template}`
  const taken = new Set<Fields.Pair>()
  // those of credentials follow the others
  const others = received.headers.cookie?.split("; ").filter((one) => !fakes.cookies.has(one.split("=")[0] ?? ""))
  const headers = { ...received.headers, cookie: others?.join("; ") }
  // an object that is spread in the query has what no other parameter takes
  for (const { parameter, value } of input.parameters.toSorted(
    (a, b) => Number(isObject(a.value)) - Number(isObject(b.value))
  )) {
    const { name, where } = parameter
    const rest = { ...received, headers, query: received.query.filter((pair) => !taken.has(pair)) }
    const found = Request.parameter(schemas, target, parameter, shapeOf(value), rest)
    for (const pair of found?.taken ?? []) taken.add(pair)
    if (found === undefined) {
      if (!Difference.isSilent(value)) return `${where} ${name} is missing`
    } else if (Sample.isOwnKey(operation, parameter) && !input.hasKey) {
      const wrong = judges.texts(parameter.schema, found.value)
      if (wrong !== undefined) return `${where} ${name}: ${Judge.show(wrong)}`
    } else {
      const problem = parameter.isJson
        ? Difference.between(value, found.value, "", { isStrict: true })
        : Difference.between(value, found.value, "", { areTexts: true })
      if (problem !== undefined) return `${where} ${name} has ${problem}`
    }
  }
  const fixed = Fields.pairs(target.fixed).map(([name, text]) => `${Fields.plain(name)}=${Fields.plain(text)}`)
  const rest = received.query.flatMap((pair) => {
    const name = Fields.plain(pair[0])
    const isOther = taken.has(pair) || fakes.query.has(name)
    return isOther ? [] : [`${name}=${Fields.plain(pair[1])}`]
  })
  const [missing] = fixed.filter((one) => !rest.includes(one))
  if (missing !== undefined) return `the query lacks ${missing}`
  const [more] = rest.filter((one) => !fixed.includes(one))
  if (more !== undefined) return `the query has ${more}`
  const names = new Set(input.parameters.map(({ parameter }) => parameter.name.toLowerCase()))
  const key = typeof operation.repeat === "object" ? operation.repeat.header : undefined
  const other = Object.keys(received.headers).find(
    (name) => !usual.has(name) && !names.has(name) && !fakes.headers.has(name) && name !== key
  )
  if (other !== undefined) return `the header ${other} is not declared`
  const own = new Set(
    input.parameters.flatMap(({ parameter: { explode, name, where }, value }) =>
      // the names of an object that is spread
      where !== "cookie" ? [] : explode && isObject(value) ? [name, ...Object.keys(value)] : [name]
    )
  )
  const cookie = Request.cookies(received).find(([name]) => !own.has(name) && !fakes.cookies.has(name))
  return cookie === undefined || names.has("cookie") ? undefined : `the cookie ${cookie[0]} is not declared`
}

const credentials = ({ security }: Api.Operation, received: Request.Received, { fakes }: Checks) => {
  const sent = [...fakes.sent(received)].toSorted()
  const show = (names: ReadonlyArray<string>) => (names.length === 0 ? "none" : names.join(" and "))
  if (security === undefined)
    return sent.every((name) => name === Credentials.unnamed)
      ? undefined
      : `credentials are sent that are not declared: ${show(sent)}`
  const alternatives = security.length === 0 ? [[]] : security
  const isDeclared = alternatives.some((names) => fakes.visible(names).toSorted().join() === sent.join())
  return isDeclared ? undefined : `the credentials are ${show(sent)}, not ${alternatives.map(show).join(", or ")}`
}

/** The problem of a field of a form with several parts: its bytes, or its type. */
const part = (
  content: Media.Content,
  schemas: Schemas,
  name: string,
  field: unknown,
  all: ReadonlyArray<Request.Part>
) => {
  const own = all.filter((one) => one.name === name)
  const items: ReadonlyArray<unknown> = Array.isArray(field) ? field : [field]
  if (own.length !== items.length) return `has ${own.length} parts ${name} in place of ${items.length}`
  const given = Request.partTypes(content, name)
  for (const [i, item] of items.entries()) {
    const { bytes, type } = own[i] ?? { bytes: Buffer.of(), type: undefined }
    if (item instanceof Uint8Array) {
      if (!bytes.equals(item)) return `has other bytes in the part ${name}`
    } else {
      const problem = Difference.between(item, bytes.toString(), "", { areTexts: true })
      if (problem !== undefined) return `has ${problem} in the part ${name}`
    }
    // OpenAPI 3.1, "Encoding Object": what a part is where nothing is said
    const isComplex = typeof item === "object" && item !== null && !(item instanceof Uint8Array)
    const usual =
      item instanceof Uint8Array ? "application/octet-stream" : isComplex ? "application/json" : "text/plain"
    const expected = given.length > 0 ? given : [Media.parse(usual)]
    const actual = Media.parse(type ?? "text/plain")
    // JSON is none of another type, and may go untyped where the field is not always JSON
    const [...types] = schemas.whole(schemas.whole([content.schema]).properties.get(name) ?? []).types ?? []
    const isFree = given.length === 0 && type === undefined && !types.includes("object") && !types.includes("array")
    const isOther = isComplex && (isFree || (given.length > 0 && !given.some(({ essence }) => /json|\*/.test(essence))))
    if (!isOther && !expected.some((range) => Media.has(range, actual)))
      return `has the type ${type ?? "none"} for the part ${name}`
  }
  return undefined
}

const form = (content: Media.Content, value: unknown, received: Request.Received, schemas: Schemas) => {
  const fields = Object.entries(isObject(value) ? value : {})
  if (content.kind === "multipart") {
    const all = Request.parts(received)
    const wrong = fields
      .map(([name, field]) => part(content, schemas, name, field, all))
      .find((one) => one !== undefined)
    const more = all.find(({ name }) => !fields.some(([own]) => own === name))
    return wrong ?? (more === undefined ? undefined : `has a part ${more.name}`)
  }
  const all = Fields.pairs(received.body.toString())
  const taken = new Set<Fields.Pair>()
  for (const [name, field] of fields) {
    const way = Request.wayOf(content, name)
    // one that is no list of texts is JSON, but where its style says otherwise
    const isJson =
      way.style !== "deepObject" &&
      (Array.isArray(field) ? field.some((item) => typeof item === "object") : isObject(field))
    const found = Fields.fromPairs(schemas, { ...way, isJson }, shapeOf(field), all)
    for (const pair of found?.taken ?? []) taken.add(pair)
    if (found === undefined && Difference.isSilent(field)) continue
    const problem = isJson
      ? Difference.between(field, found?.value, "", { isStrict: true })
      : Difference.between(field, found?.value, "", { areTexts: true })
    if (problem !== undefined) return `has ${problem} for ${name}`
  }
  const more = all.find((pair) => !taken.has(pair))
  return more === undefined ? undefined : `has ${more[0]}`
}

const body = (target: Api.Operation, input: Sample.Sample, received: Request.Received, checks: Checks) => {
  const start = received.body.toString().slice(0, 40)
  if (input.body === undefined)
    return received.body.length === 0 ? undefined : `there is a body that was not to be sent: ${start}`
  const type = received.headers["content-type"] ?? ""
  const content = Media.find(target.body?.contents ?? [], type)
  if (content === undefined) return `the content type ${type === "" ? "is missing" : `${type} is not declared`}`
  const { value } = input.body
  if (content.kind === "json" || content.kind === "form") {
    const file = Example.fileOf(checks.schemas, content.schema, "request")
    const parts = target.body?.contents.find(({ type }) => type.essence === "multipart/form-data")
    if (file !== undefined && parts !== undefined)
      return `the file ${file} is text in ${type}, not a part of ${parts.key}`
  }
  switch (content.kind) {
    case "json": {
      const arrived = Digits.read(received.body.toString())
      if (arrived === undefined) return `the body is not JSON: ${start}`
      const problem = Difference.between(value, arrived, "", { isStrict: true })
      if (problem !== undefined) return `the body has ${problem}`
      const wrong = checks.judges.request(content.schema, arrived)
      return wrong === undefined || input.misfit() !== undefined
        ? undefined
        : `the body does not fit its schema: ${Judge.show(wrong)}`
    }
    case "form":
    case "multipart": {
      const problem = form(content, value, received, checks.schemas)
      return problem === undefined ? undefined : `the form ${problem}`
    }
    default: {
      const expected = value instanceof Uint8Array ? value : Buffer.from(String(value))
      return received.body.equals(expected) ? undefined : `the body is ${start}`
    }
  }
}

/** The problem of a request; `undefined` if there is none. */
export const check = (
  target: Api.Operation,
  operation: Operation.Any,
  input: Sample.Sample,
  received: Request.Received,
  checks: Checks
): string | undefined => {
  if (received.method !== target.method) return `the method is ${received.method}, not ${target.method}`
  return (
    parameters(target, operation, input, received, checks) ??
    credentials(target, received, checks) ??
    body(target, input, received, checks)
  )
}
