import type { Operation } from "@cloud-management/client"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isObject } from "../read/Json.ts"
import type * as Api from "../served/Api.ts"
import * as Difference from "./Difference.ts"
import * as Digits from "../served/Digits.ts"
import * as Media from "../served/Media.ts"
import * as Reply from "../served/Reply.ts"
import * as Request from "../served/Request.ts"
import { Unfollowed } from "../served/References.ts"
import type { Maker } from "../served/Values.ts"
import { type Made, type Variation, withExamples } from "../served/Variation.ts"

/** The content of a request, and which of the declared ones it is. */
export interface Payload {
  readonly content: Media.Content
  readonly value: unknown
  readonly made: Made | undefined
}

/** The values that a request is to have, by the names of the document. */
export interface Sample {
  readonly parameters: ReadonlyArray<{ readonly parameter: Api.Parameter; readonly value: unknown }>
  /** How many values it has. */
  readonly size: number
  /** Whether a list of it can be empty. */
  readonly hasLists: boolean
  /** How many known values each enum and boolean has, by place. */
  readonly known: ReadonlyMap<string, number>
  /** How many examples the place with the most has. */
  readonly examples: number
  readonly body: Payload | undefined
  /** Whether the key of a repeated request is the caller's. */
  readonly hasKey: boolean
  /** Whether it is none of what it was to be. */
  readonly isApart: boolean
  /** Left out, since no value was found for it. */
  readonly dropped: ReadonlyArray<string>
  /** Why a value of it does not fit its schema. */
  readonly misfit: () => string | undefined
}

/** The end of free texts: characters that each place has to escape. */
const letters = {
  path: "/?&=+%:ü",
  query: "/?&=+%:ü,",
  header: "",
  cookie: "/?&=+%:",
  json: ' ü😀"\\\n',
  form: ' ü😀"\\&=+%'
}

/** The end of free texts. */
const lettersOf = (place: keyof typeof letters, { extreme }: Variation) =>
  letters[place] + (extreme === "greatest" ? "x".repeat(place === "json" || place === "form" ? 400 : 100) : "")

/** The texts that a place can have as they are. */
const sendable = {
  path: /^(?!\.{0,2}$)/,
  query: /^/,
  header: /^(?:[!-~](?:[ -~]*[!-~])?)?$/,
  cookie: /^[!#-+\--:<-[\]-~]*$/
}

export const make = (
  { values }: Maker,
  target: Api.Operation,
  operation: Operation.Any,
  variation: Variation,
  choice = 0
): Sample => {
  const used = target.parameters.filter((one) => one.isRequired || variation.isFull || isOwnKey(operation, one))
  const all = used.map((parameter) => {
    const { examples, isJson, schema, style, where } = parameter
    const own = {
      ...variation,
      // an empty one would be another path
      isFull: variation.isFull || where === "path",
      isText: !isJson,
      // in another place, no items are no value
      areEmpty: variation.areEmpty === true && where === "query",
      letters: lettersOf(isJson ? "json" : where, variation)
    }
    const isSendable = ({ value }: Made) =>
      isJson || [value].flat(9).every((one) => typeof one !== "string" || sendable[where].test(one))
    let made = values(schema, withExamples(own, examples))
    // in place of an example, and of a known value, that cannot be there
    const most = Math.max(1, ...made.known.values())
    for (let i = 0; i <= most && !isSendable(made); i++)
      made = values(schema, { ...own, example: undefined, skip: (variation.skip ?? 0) + i })
    return { parameter, made, value: written(made.value, where === "cookie" ? "pipeDelimited" : style) }
  })
  // HTTP does not tell headers apart by case
  const parameters = all.filter(
    ({ parameter }, i) =>
      all.findIndex((one) => one.parameter.where === parameter.where && keyOf(one.parameter) === keyOf(parameter)) === i
  )
  const { dropped, own } = apart(parameters)
  const { payload } = operation
  const type = (payload?._tag === "Choice" ? payload.payloads[choice] : payload)?.contentType ?? ""
  const contents = target.body?.contents ?? []
  const content = Media.find(contents, type) ?? contents[0]
  const isSent = content !== undefined && (target.body?.isRequired === true || variation.isFull)
  const body = isSent ? bodyOf(content, values, variation) : undefined
  const made = [...all.map((one) => one.made), ...(body?.made === undefined ? [] : [body.made])]
  return {
    parameters: own,
    size: made.reduce((sum, { size }) => sum + size, 0),
    hasLists:
      all.some(({ made, parameter }) => parameter.where === "query" && made.lists.size > 0) ||
      (body?.made?.lists.size ?? 0) > 0,
    known: new Map(made.flatMap(({ known }) => [...known])),
    examples: Math.max(
      0,
      ...made.map((one) => one.examples),
      ...[...used, ...(isSent ? [content] : [])].map((one) => one.examples.length)
    ),
    body,
    // in a request without what is optional, the client makes it
    hasKey: variation.isFull && takesKey(operation, target.parameters),
    isApart: variation.example === undefined ? body?.made?.isApart === true : made.every((one) => one.isApart),
    dropped: [...dropped, ...made.flatMap((one) => one.dropped)],
    misfit: () => {
      const wrong = all.map(({ made, parameter }) => [parameter.name, made.misfit()] as const).find(([, one]) => one)
      return wrong === undefined ? body?.made?.misfit() : wrong.join(": ")
    }
  }
}

/** Parameters of the query without what another one of the same name stands for, where objects are spread in it. */
const apart = <One extends Sample["parameters"][number]>(parameters: ReadonlyArray<One>) => {
  const isSpread = ({ parameter: { explode, isJson, style, where }, value }: One) =>
    where === "query" && style === "form" && explode && !isJson && isObject(value)
  const taken = new Set(
    parameters.flatMap((one) => (one.parameter.where === "query" && !isSpread(one) ? one.parameter.name : []))
  )
  const dropped: Array<string> = []
  const own = parameters.map((one) => {
    if (!isSpread(one) || !isObject(one.value)) return one
    const fields = Object.entries(one.value).filter(([name]) => {
      const isFree = !taken.has(name)
      if (!isFree) dropped.push(`${one.parameter.name}.${name} is another parameter of the query too`)
      taken.add(name)
      return isFree
    })
    return { ...one, value: Object.fromEntries(fields) }
  })
  return { dropped, own }
}

/** An item between spaces or bars cannot have one, nor can a cookie. */
const withoutSeparators = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll(/[ |]/g, "-")
  if (Array.isArray(value)) return value.map(withoutSeparators)
  if (!isObject(value)) return value
  const parts = Object.entries(value).map(([name, child]) => [name.replaceAll(/[ |]/g, "-"), withoutSeparators(child)])
  return Object.fromEntries(parts)
}

/** Between brackets, an item that sends nothing is not there. */
const withoutSilent = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter((item) => !Difference.isSilent(item)).map(withoutSilent)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, withoutSilent(child)]))
}

/** The value of a field that its style can write. */
const written = (value: unknown, style: string): unknown =>
  style.endsWith("Delimited") ? withoutSeparators(value) : style === "deepObject" ? withoutSilent(value) : value

const keyOf = ({ name, where }: Api.Parameter) => (where === "header" ? name.toLowerCase() : name)

const bodyOf = (content: Media.Content, values: Maker["values"], variation: Variation): Payload => {
  const { examples, kind, schema } = content
  if (kind === "bytes") return { content, value: Reply.bytes, made: undefined }
  if (kind === "json") {
    const made = values(schema, withExamples({ ...variation, letters: lettersOf("json", variation) }, examples))
    return { content, value: made.value, made }
  }
  const own = { ...variation, letters: lettersOf("form", variation), isText: true, hasBytes: kind === "multipart" }
  const made = values(schema, withExamples(own, examples))
  if (kind === "form" || kind === "multipart") {
    if (Array.isArray(made.value)) throw new Unfollowed({ message: "a form has names, which a list does not give" })
    const fields = isObject(made.value) ? made.value : {}
    if (kind === "form") {
      const value = Object.entries(fields).map(([name, field]) => [
        name,
        written(field, Request.wayOf(content, name).style)
      ])
      return { content, value: Object.fromEntries(value), made }
    }
    // what the document calls an image is bytes, though its schema is a text
    const isFile = (name: string) => Request.partTypes(content, name).some(Media.isBytes)
    const value = Object.entries(fields).map(([name, field]) => [name, isFile(name) ? asBytes(field) : inPart(field)])
    return { content, value: Object.fromEntries(value), made }
  }
  const value = typeof made.value === "string" ? made.value : Digits.stringify(made.value)
  return { content, value, made }
}

/** In the JSON of a part, a file is text. */
const inPart = (field: unknown, isInside = false): unknown => {
  if (field instanceof Uint8Array) return isInside ? "a file" : field
  if (Array.isArray(field)) return field.map((item: unknown) => inPart(item, isInside))
  return isObject(field)
    ? Object.fromEntries(Object.entries(field).map(([name, child]) => [name, inPart(child, true)]))
    : field
}

const asBytes = (field: unknown): unknown =>
  Array.isArray(field) ? field.map(asBytes) : typeof field === "string" ? Reply.bytes : field

/** The header of an idempotency key, which the client makes. */
export const isOwnKey = (operation: Operation.Any, { name, where }: Api.Parameter): boolean =>
  where === "header" && typeof operation.repeat === "object" && operation.repeat.header === name.toLowerCase()

/** Whether a caller can give the key. */
const takesKey = (operation: Operation.Any, parameters: Api.Operation["parameters"]): boolean => {
  const { headers, repeat } = operation
  const { name } = parameters.find((one) => isOwnKey(operation, one)) ?? {}
  if (headers === undefined || typeof repeat !== "object" || name === undefined) return false
  const problem = Result.match(
    Schema.decodeUnknownResult(headers.schema, { onExcessProperty: "error" })({ [name]: "key" }),
    { onFailure: (error) => error.message, onSuccess: () => "" }
  )
  return !problem.includes(name)
}
