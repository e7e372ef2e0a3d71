import type { Operation } from "@cloud-management/client"
import { isObject } from "../read/Json.ts"
import type * as Api from "../served/Api.ts"
import * as Digits from "../served/Digits.ts"
import * as Media from "../served/Media.ts"
import type { Schema as Place } from "../served/References.ts"
import * as Reply from "../served/Reply.ts"
import { once } from "../served/Schemas.ts"
import type { Maker } from "../served/Values.ts"
import type { Made, Variation } from "../served/Variation.ts"
import { type All, type Case, guard, unjudged } from "./Case.ts"
import * as Pages from "./Pages.ts"
import type { Round } from "./Round.ts"
import * as Sample from "./Sample.ts"
import * as Statuses from "./Statuses.ts"
import * as Tried from "./Tried.ts"

/** So many known values of a request, and examples of one place, are tried. */
const most = { values: 1_000, examples: 50 }

const full: Variation = { side: "request", isFull: true, hasLongs: true }
const least: Variation = { ...full, isFull: false }
const fullResponse: Variation = { side: "response", isFull: true, hasLongs: true, letters: ' ü😀"\\\n' }
const long = "x".repeat(400)
const leastResponse: Variation = { ...fullResponse, isFull: false }
const fullFailure: Variation = { side: "response", isFull: true, hasLongs: true }

/** The fields in which a case differs from the usual one. */
type Part = Partial<Case>

/** An operation whose cases are made: what is the same in several is made once. */
interface Plan {
  readonly maker: Maker
  readonly target: Api.Operation
  readonly operation: Operation.Any
  readonly tried: Tried.Tried
  readonly successes: ReadonlyArray<Statuses.Status>
  readonly input: (variation: Variation) => Sample.Sample
  /** The response of a success. */
  readonly response: (
    success: Statuses.Status
  ) => (variation: Variation) => Pick<Case, "response" | "content" | "reply">
  /** A case whose request and response are small, but for what is said. */
  readonly put: (round: Round, note: string, rest: () => Part) => All
}

const planOf = (of: Omit<Plan, "input" | "response" | "put">, first: Statuses.Status): Plan => {
  const { maker, operation, target } = of
  const end = { _tag: "success", hasStatus: operation.success._tag === "OneOf" } as const
  const input = once((variation: Variation) => Sample.make(maker, target, operation, variation))
  const response = once(({ response, status }: Statuses.Status) =>
    once((variation: Variation) => {
      const content = Reply.contentOf(response, operation.success.accept)
      const isUndeclared = content === undefined && response.contents.length > 0
      const reply = isUndeclared ? undefined : Reply.make(maker, status, content, variation)
      return { response, content, reply }
    })
  )
  return {
    ...of,
    input,
    response,
    put: (round, note, rest) =>
      guard(round, note, () => {
        const given = rest()
        const sent = given.input ?? input(least)
        if (sent.isApart || given.reply?.made?.isApart === true) return []
        const received = "reply" in given ? undefined : response(first)(leastResponse)
        const usual = { choice: 0, end, response: first.response, content: undefined, reply: undefined }
        return [{ _tag: "Case", round, note, ...usual, ...received, ...given, input: sent }]
      })
  }
}

/** Requests with other contents, known values, alternatives and examples. */
function* requests({ input, maker, operation, put, target, tried }: Plan): All {
  yield* guard("minimal", "request", () =>
    input(full).hasLists
      ? put("minimal", "request without items", () => ({ input: input({ ...full, areEmpty: true }) }))
      : []
  )
  const payloads = operation.payload?._tag === "Choice" ? operation.payload.payloads.length : 1
  for (let choice = 1; choice < payloads; choice++)
    yield* put("alternatives", `content ${choice + 1}`, () => ({
      choice,
      input: Sample.make(maker, target, operation, full, choice)
    }))
  const isNew = Tried.making(tried, "request")
  yield* guard("alternatives", "request", function* () {
    const rotated = (variation: Variation, known: ReadonlyMap<string, number>, note: string) =>
      rotations("alternatives", note, known, isNew, (skip) => ({ input: input({ ...variation, skip }) }), put)
    yield* rotated(full, input(full).known, "request")
    for (const one of Tried.branches("alternatives", full, isNew, (variation) => input(variation).body?.made))
      if (one._tag === "Unjudged") yield one
      else {
        const note = `request ${one.note}`
        yield* put(one.round, note, () => ({ input: input(one.variation) }))
        yield* rotated(one.variation, input(one.variation).known, note)
      }
  })
  yield* guard("examples", "request", () =>
    examples(input(full).examples, "request", (example, note) =>
      put("examples", note, () => ({ input: input({ ...full, example }) }))
    )
  )
}

/** A case for each known value of the longest enum, with other values of the others. */
function* rotations(
  round: Round,
  title: string,
  known: ReadonlyMap<string, number>,
  isNew: (way: string, places: Iterable<string>) => boolean,
  make: (skip: number) => Part,
  put: Plan["put"]
): All {
  const longest = Math.max(1, ...known.values())
  for (let skip = 1; skip < Math.min(longest, most.values); skip++) {
    const longer = Array.from(known).flatMap(([place, count]) => (count > skip ? [place] : []))
    if (isNew(`values after ${skip}`, longer)) yield* put(round, `${title} values after ${skip}`, () => make(skip))
  }
  if (longest > most.values && isNew("values", known.keys())) {
    const reason = `more than ${most.values} known values: ${longest - most.values} of them are left out`
    yield unjudged(round, title, reason)
  }
}

function* examples(count: number, title: string, make: (example: number, note: string) => All): All {
  for (let example = 0; example < Math.min(count, most.examples); example++)
    yield* make(example, `${title} ${example + 1}`)
  if (count > most.examples)
    yield unjudged(
      "examples",
      title,
      `more than ${most.examples} examples: ${count - most.examples} of them are left out`
    )
}

/** A value that the document does not have is judged by what it was before. */
const judgedAs = (base: Made | undefined, given: Part): Part => {
  const { reply } = given
  if (reply?.made === undefined) return given
  return { ...given, reply: { ...reply, made: { ...reply.made, misfit: () => base?.dropped[0] ?? base?.misfit() } } }
}

/** The responses that callers may get in place of one. */
function* responses(
  { put, tried }: Plan,
  round: Round,
  title: string,
  base: Variation,
  make: (variation: Variation) => Part
): All {
  const isNew = Tried.making(tried, "response")
  const grown = new Set<string>()
  /** Those that a service may have later in place of one, where they have a place that no other one had. */
  function* later(note: string, variation: Variation): All {
    const made = make(variation).reply?.made
    if (made === undefined) return
    const other = (round: Round, note: string, more: Partial<Variation>) =>
      put(round, note, () => judgedAs(made, make({ ...variation, ...more })))
    const isBase = variation === base
    if (isNew("extra field", made.objects) || (isBase && made.objects.size > 0))
      yield* other("extra field", note, { hasExtra: true })
    if (isNew("new value", made.enums) || (isBase && made.enums.size > 0))
      yield* other("new value", note, { hasNewValues: true })
    for (const [i, [nullDepth, places]] of [...made.nulls].toSorted(([a], [b]) => a - b).entries())
      if (isNew(`null ${nullDepth}`, places) || (isBase && i === 0))
        yield* other("null", `${note} at depth ${nullDepth}`.trim(), { nullDepth })
    for (const [newVariant, focus] of made.growing) {
      if (grown.has(newVariant)) continue
      grown.add(newVariant)
      yield* other("new variant", `${note} ${newVariant}`, { newVariant, focus })
    }
  }
  const rotated = (variation: Variation, note: string) => {
    const { enums, known = [] } = make(variation).reply?.made ?? {}
    // an enum of texts can have any
    const closed = new Map([...known].filter(([place]) => enums?.has(place) !== true))
    return rotations(round, note, closed, isNew, (skip) => make({ ...variation, skip }), put)
  }
  yield* guard(round, title, function* () {
    yield* later(title, base)
    const made = make(base).reply?.made
    if (made !== undefined && made.lists.size > 0)
      yield* put("minimal", `${title} without items`, () => make({ ...base, areEmpty: true }))
    yield* rotated(base, title)
    for (const one of Tried.branches(round, base, isNew, (variation) => make(variation).reply?.made)) {
      if (one._tag === "Unjudged") {
        yield one
        continue
      }
      const note = `${title} ${one.note}`
      yield* put(one.round, note, () => make(one.variation))
      yield* rotated(one.variation, note)
      yield* later(note, one.variation)
    }
  })
  yield* guard("examples", title, () => {
    const { content, reply } = make(base)
    const count = Math.max(content?.examples.length ?? 0, reply?.made?.examples ?? 0)
    return examples(count, title, (example, note) => put("examples", note, () => make({ ...base, example })))
  })
}

/** Replaces the texts of an error by one that has no form, such as people write. */
const freeText = "Nothing here: 7 of 9 things (see RFC 9110)"
const freed = (value: unknown): unknown => {
  if (typeof value === "string") return /^text \d+/.test(value) ? freeText : value
  if (Array.isArray(value)) return value.map(freed)
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, freed(child)]))
    : value
}

/** Each declared error, with its body. */
function* refusals(plan: Plan): All {
  const { maker, put, successes, target } = plan
  for (const { response, status } of Statuses.failures(target, successes)) {
    const [content] = response.contents.toSorted((a, b) => Number(b.kind === "json") - Number(a.kind === "json"))
    const reply = once((variation: Variation) => Reply.make(maker, status, content, variation))
    const part = (variation: Variation) => ({
      end: { _tag: "refusal" } as const,
      response,
      content,
      reply: reply(variation)
    })
    const title = `status ${status}`
    if (content?.kind !== "json") {
      yield* put("free text", title, () => part(fullFailure))
      continue
    }
    yield* put("errors", title, () => part(fullFailure))
    const plain = response.contents.find((one) => one.kind === "text" && Media.isText(maker.schemas, one))
    if (plain !== undefined)
      yield* put("errors", `${title} as ${plain.key}`, () => ({
        ...part(fullFailure),
        content: undefined,
        reply: Reply.make(maker, status, plain, fullFailure)
      }))
    yield* guard("free text", title, () => {
      const plain = reply(fullFailure)
      const value = freed(plain.value)
      const body = Digits.stringify(value)
      return body === plain.body
        ? []
        : put("free text", title, () => ({ ...part(fullFailure), reply: { ...plain, value, body } }))
    })
    yield* responses(plan, "errors", `${title} response`, fullFailure, part)
  }
}

/**
 * Whether a client has to see that a body is not the service's: by its type, or by a field that is described and required. A
 * client takes fields that the document does not name, and what is none of the alternatives of a union, which can grow.
 */
const isForeign = ({ judges, schemas }: Maker, schema: Place, value: unknown): boolean => {
  const { choices, properties } = schemas.whole([schema])
  const wrong = choices.length > 0 ? undefined : judges.response(schema, value)
  if (wrong === undefined || wrong.instancePath !== "") return false
  return (
    wrong.keyword === "type" ||
    (wrong.keyword === "required" && properties.has(String(wrong.params["missingProperty"])))
  )
}

/** Successes with a body of somebody else, such as a gateway, who responds in place of the service. */
function* foreign({ maker, put }: Plan, { response, status }: Statuses.Status, content: Media.Content): All {
  const headers = { "content-type": "application/json" }
  for (const value of [{ gateway: "hello" }, "hello"]) {
    if (!isForeign(maker, content.schema, value)) continue
    const reply = { status, headers, body: JSON.stringify(value), value, made: undefined }
    yield* put("foreign", typeof value, () => ({ end: { _tag: "invalid" }, response, content, reply }))
  }
}

/** Requests without each part that is required, which are not to be sent. */
function* incomplete({ input, operation, put, target }: Plan): All {
  const sent = input(least)
  const remove = (path: ReadonlyArray<string>) =>
    put("incomplete", `without ${path.join(".")}`, () => ({ input: sent, end: { _tag: "not sent", remove: path } }))
  const names = sent.parameters.map(({ parameter }) => `${parameter.where} ${parameter.name.toLowerCase()}`)
  for (const { parameter } of sent.parameters) {
    const { name, where } = parameter
    const isTwice = where === "header" && names.filter((one) => one === `${where} ${name.toLowerCase()}`).length > 1
    if (Sample.isOwnKey(operation, parameter) || isTwice) continue
    const places = { path: [operation.names?.params?.[name] ?? name], query: ["query", name] }
    const inHeaders = { header: ["headers", name], cookie: ["headers", "cookie", name] }
    yield* remove({ ...places, ...inHeaders }[where])
  }
  if (target.body?.isRequired !== true || sent.body === undefined) return
  yield* remove(["payload"])
  const { content, made } = sent.body
  if (content.kind === "json" || content.kind === "form")
    for (const name of made?.required ?? [])
      yield* remove(["payload", ...(operation.payload?._tag === "Choice" ? ["value"] : []), name])
}

/** All calls of an operation. */
export function* make(maker: Maker, declared: Api.Operation, operation: Operation.Any, tried: Tried.Tried): All {
  const isHead = declared.method === "HEAD"
  const target = isHead ? { ...declared, responses: declared.responses.map(Statuses.withoutContent) } : declared
  const successes = Statuses.successes(target, operation)
  const [first, ...others] = successes
  if (first === undefined) return
  const plan = planOf({ maker, target, operation, tried, successes }, first)
  const { input, put, response } = plan
  const whole = (more: Part = {}) => ({ input: input(full), ...response(first)(fullResponse), ...more })

  yield* put("full", "", whole)
  for (const other of others) yield* put("full", `status ${other.status}`, () => whole(response(other)(fullResponse)))
  for (const extreme of ["greatest", "least"] as const)
    yield* put("full", `the ${extreme} values`, () => ({
      input: input({ ...full, extreme }),
      ...response(first)({ ...fullResponse, extreme, ...(extreme === "greatest" && { letters: long }) })
    }))
  yield* put("minimal", "", () => ({}))
  yield* requests(plan)
  for (const one of successes) yield* responses(plan, "alternatives", "response", fullResponse, response(one))
  yield* guard("null", "", function* () {
    const { body } = input(full)
    // a form cannot hold null
    const nulls = body?.content.kind === "json" ? body.made?.nulls : undefined
    const isNew = Tried.making(tried, "request")
    for (const [nullDepth, places] of [...(nulls ?? [])].toSorted(([a], [b]) => a - b))
      if (isNew(`null ${nullDepth}`, places))
        yield* put("null", `request at depth ${nullDepth}`, () => ({ input: input({ ...full, nullDepth }) }))
  })
  yield* refusals(plan)
  const content = Reply.contentOf(first.response, operation.success.accept)
  if (content?.kind === "json") yield* guard("foreign", "", () => foreign(plan, first, content))
  if (content?.kind === "events" || content?.kind === "lines") yield* put("streams", "", whole)
  for (const [note, pages] of Pages.kinds(maker.schemas, content, operation))
    yield* put("pages", note, () => whole({ pages, input: Pages.first(operation, input(full)) }))
  yield* guard("incomplete", "", () => incomplete(plan))
}
