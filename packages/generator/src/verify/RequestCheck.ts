import type * as Operation from "@cloud-management/client/Operation"
import { decode, isObject, object, type Place, text } from "../Json.ts"
import type { Media } from "../Media.ts"
import * as Difference from "./Difference.ts"
import * as Digits from "./Digits.ts"
import * as FieldText from "./FieldText.ts"
import * as Input from "./Input.ts"
import type * as JsonSchema from "./JsonSchema.ts"
import * as Schemes from "./Schemes.ts"
import { pairs, type Received } from "./Server.ts"
import type { Target } from "./Target.ts"

/** What a request is checked with. */
export interface Checks {
  readonly schemes: Schemes.Schemes
  readonly validate: (place: Place) => JsonSchema.Check
}

/** Headers that clients and connections add. */
const usual = new Set(
  (
    "accept accept-encoding accept-language authorization b3 baggage connection content-length content-type host keep-alive " +
    "sec-fetch-mode traceparent tracestate transfer-encoding user-agent expect"
  ).split(" ")
)

const method = ({ method }: Target, received: Received) =>
  received.method === method ? undefined : `the method is ${received.method}, not ${method}`

const path = ({ template }: Target, input: Input.Input, received: Received) => {
  const expected = template.split("/").map((segment) =>
    decode(segment).replace(/\{([^{}]*)\}/g, (_, name: string) => {
      const found = input.parameters.find(({ parameter }) => parameter.where === "path" && parameter.name === name)
      return found === undefined ? "" : FieldText.list(found.value, Input.wayOf(found.parameter))
    })
  )
  const problem = Difference.between(expected.join(" / "), received.path.join(" / "))
  return problem === undefined ? undefined : `the path is ${problem}`
}

const sorted = (all: ReadonlyArray<FieldText.Pair>) => all.map(([name, text]) => `${name}=${instant(text)}`).toSorted()

/** One text for an instant that can be written in several ways. */
const instant = (text: string) =>
  /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text) ? new Date(text).toISOString() : text

/** What is missing or too much. */
const unlike = (expected: ReadonlyArray<FieldText.Pair>, actual: ReadonlyArray<FieldText.Pair>): string | undefined => {
  const [want, have] = [sorted(expected), sorted(actual)]
  if (want.join("&") === have.join("&")) return undefined
  const missing = want.find((text) => !have.includes(text))
  const more = have.find((text) => !want.includes(text))
  return `${missing === undefined ? "" : `lacks ${missing}`}${missing !== undefined && more !== undefined ? ", but " : ""}${
    more === undefined ? (missing === undefined ? "repeats a parameter" : "") : `has ${more}`
  }`
}

const query = ({ fixed }: Target, input: Input.Input, received: Received, { schemes }: Checks) => {
  const expected = input.parameters.flatMap(({ parameter, value }) =>
    parameter.where === "query" ? FieldText.pairs(value, Input.wayOf(parameter)) : []
  )
  const isMeant = (name: string) => !schemes.query.has(name) || expected.some(([own]) => own === name)
  const actual = received.query.filter(([name]) => isMeant(name))
  const problem = unlike([...pairs(fixed), ...expected], actual)
  return problem === undefined ? undefined : `the query ${problem}`
}

const headers = (operation: Operation.Any, input: Input.Input, received: Received, { schemes }: Checks) => {
  const declared = input.parameters.filter(({ parameter }) => parameter.where === "header")
  for (const { parameter, value } of declared) {
    const name = parameter.name.toLowerCase()
    const actual = received.headers[name]
    if (actual === undefined) return `the header ${parameter.name} is missing`
    if (Input.isOwnKey(operation, parameter)) continue
    const compact = (text: string) => text.replaceAll(/,\s*/g, ",")
    const text = compact(String(actual))
    const expected = compact(FieldText.list(value, Input.wayOf(parameter)))
    if (instant(text) !== instant(expected)) return `the header ${parameter.name} is ${text}, not ${expected}`
  }
  const names = new Set(declared.map(({ parameter }) => parameter.name.toLowerCase()))
  const key = typeof operation.repeat === "object" ? operation.repeat.header : undefined
  const more = Object.keys(received.headers).find(
    (name) => !usual.has(name) && !names.has(name) && !schemes.headers.has(name) && name !== key
  )
  return more === undefined ? undefined : `the header ${more} is not declared`
}

const credentials = ({ security }: Target, received: Received, { schemes }: Checks) => {
  const sent = [...schemes.sent(received)].toSorted()
  const show = (names: ReadonlyArray<string>) => (names.length === 0 ? "none" : names.join(" and "))
  if (security === undefined)
    return sent.every((name) => name === Schemes.unnamed)
      ? undefined
      : `credentials are sent that are not declared: ${show(sent)}`
  const alternatives = security.length === 0 ? [[]] : security
  const isDeclared = alternatives.some((names) => schemes.visible(names).toSorted().join() === sent.join())
  return isDeclared ? undefined : `the credentials are ${show(sent)}, not ${alternatives.map(show).join(", or ")}`
}

const parameters = (input: Input.Input, { validate }: Checks) => {
  for (const { parameter, value } of input.parameters) {
    const problem = validate(parameter.schema)(value)
    if (problem !== undefined) return `${parameter.where} ${parameter.name}: ${problem}`
  }
  return undefined
}

const fields = async ({ kind }: Media, received: Received): Promise<ReadonlyArray<FieldText.Pair>> => {
  if (kind === "form") return pairs(received.body.toString())
  const type = received.headers["content-type"] ?? ""
  const form = await new Response(new Uint8Array(received.body), { headers: { "content-type": type } }).formData()
  const texts = Array.from(form.entries(), async ([name, value]): Promise<FieldText.Pair> => [
    name,
    typeof value === "string" ? value : await value.text()
  ])
  return Promise.all(texts)
}

/** What is wrong with the media type of a part that is no file. */
const partType = ({ kind, node }: Media, name: string, field: unknown, received: Received) => {
  const arrived = kind === "multipart" ? received.body.toString() : ""
  const start = arrived.indexOf(`; name="${name.replace(/["\r\n]/g, encodeURIComponent)}"\r\n`)
  if (start < 0) return undefined
  const [, found] = /\r\ncontent-type: *([^\r]*)/i.exec(arrived.slice(start, arrived.indexOf("\r\n\r\n", start))) ?? []
  const given = text(object(object(node, "encoding"), name), "contentType") ?? ""
  const isJson = (Array.isArray(field) ? field : [field]).some((value) => typeof value === "object" && value !== null)
  const isGiven = /^[^,*]+$/.test(given) && (!isJson || /[/+]json$/.test(given))
  const type = isGiven ? given : isJson ? "application/json" : undefined
  // an object that the document does not describe, or whose alternative is a text, is a text
  if (found === type || (found === undefined && !isGiven)) return undefined
  return `the type of the part ${name} is ${found ?? "none"}, not ${type ?? "none"}`
}

const body = async ({ body }: Target, input: Input.Input, received: Received, checks: Checks) => {
  if (input.body === undefined)
    return received.body.length === 0
      ? undefined
      : `there is a body that was not to be sent: ${received.body.toString().slice(0, 40)}`
  const type = received.headers["content-type"] ?? ""
  const content = Input.declared(body?.contents ?? [], type)
  if (content === undefined) return `the content type ${type === "" ? "is missing" : `${type} is not declared`}`
  const { value } = input.body
  switch (content.kind) {
    case "json": {
      const arrived = parsed(received.body.toString())
      if (arrived === undefined) return `the body is no JSON: ${received.body.toString().slice(0, 40)}`
      const problem = Difference.between(value, arrived.value, "", true)
      if (problem !== undefined) return `the body has ${problem}`
      const misfit = checks.validate(content.schema)(arrived.value)
      return misfit === undefined ? undefined : `the body does not fit its schema: ${misfit}`
    }
    case "form":
    case "multipart": {
      const all = Object.entries(isObject(value) ? value : {})
      const expected = all.flatMap(([name, field]) => FieldText.pairs(field, Input.fieldOf(content, name)))
      const problem = unlike(expected, await fields(content, received))
      if (problem !== undefined) return `the form ${problem}`
      return all
        .map(([name, field]) => partType(content, name, field, received))
        .find((problem) => problem !== undefined)
    }
    default: {
      const expected = value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value))
      return received.body.equals(expected) ? undefined : `the body is ${received.body.toString().slice(0, 40)}`
    }
  }
}

const parsed = (text: string) => {
  try {
    return { value: Digits.parse(text) }
  } catch {
    return undefined
  }
}

/** What is wrong with a request; `undefined` if nothing is. */
export const check = async (
  target: Target,
  operation: Operation.Any,
  input: Input.Input,
  received: Received,
  checks: Checks
): Promise<string | undefined> =>
  method(target, received) ??
  path(target, input, received) ??
  query(target, input, received, checks) ??
  headers(operation, input, received, checks) ??
  credentials(target, received, checks) ??
  parameters(input, checks) ??
  (await body(target, input, received, checks))
