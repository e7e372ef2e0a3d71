import type { Operation } from "@cloud-management/client"
import { isObject } from "../read/Json.ts"
import type * as Api from "./served/Api.ts"
import type * as Media from "./served/Media.ts"
import * as Digits from "./served/Digits.ts"
import * as Reply from "./served/Reply.ts"
import { Unfollowed } from "./served/References.ts"
import { Beyond, type Made, type Variation } from "./served/Variation.ts"
import * as Sample from "./Sample.ts"
import * as Pages from "./Pages.ts"
import type { Round } from "./Round.ts"

/** One call: what is sent, what the service responds, and how it is to end. */
export interface Case {
  readonly _tag: "Case"
  readonly round: Round
  /** For people: its subject. */
  readonly note: string
  readonly input: Sample.Sample
  readonly choice: number
  readonly response: Api.Response
  readonly content: Media.Content | undefined
  /** `undefined`: the operation asks for none that is declared. */
  readonly reply: Reply.Reply | undefined
  readonly pages?: Pages.Kind
  readonly end:
    | { readonly _tag: "success"; readonly hasStatus: boolean }
    | { readonly _tag: "refusal" }
    | { readonly _tag: "not sent"; readonly remove: ReadonlyArray<string> }
}

/** A round for which no value is made. */
export interface Unjudged {
  readonly _tag: "Unjudged"
  readonly round: Round
  readonly note: string
  readonly reason: string
}

/** Alternatives of alternatives multiply: so many of one operation and side are tried. */
const mostAlternatives = 60

/** In so many operations an alternative of a schema is tried that many share: their code is the same. */
const mostOperations = 3

/** How often the alternatives of shared schemas were tried, in all operations. */
export type Tried = Map<string, number>

/** So many examples of one place are tried. */
const mostExamples = 10

type Chosen = ReadonlyMap<string, ReadonlyArray<number>>

const full: Variation = { side: "request", isFull: true, hasLongs: true }
const fullResponse: Variation = { side: "response", isFull: true, hasLongs: true, letters: ' ü😀"\\\n' }
const fullFailure: Variation = { side: "response", isFull: true, hasLongs: true }

/** The declared successes, with the statuses that they have. */
const successesOf = ({ responses }: Api.Operation, { success }: Operation.Any) => {
  const named = (pattern: RegExp) => responses.filter(({ status }) => pattern.test(status))
  const declared = named(/^2/)
  const others = success._tag === "Redirect" ? named(/^30[12378]$/) : named(/^DEFAULT$/)
  const all = declared.length > 0 ? declared : others
  const exact = all.filter(({ status }) => /^\d+$/.test(status))
  return (exact.length > 0 ? exact : all).map((response) => {
    const own = success._tag === "Redirect" ? success.status : 200
    const status = /^\d+$/.test(response.status) ? Number(response.status) : own
    return { status, response: [204, 205].includes(status) || status > 299 ? withoutContent(response) : response }
  })
}

const withoutContent = (response: Api.Response): Api.Response => ({ ...response, contents: [] })

/** The declared errors, with a status that each of them has. */
const failuresOf = ({ responses }: Api.Operation, successes: ReadonlyArray<Api.Response>) => {
  const declared = new Set(responses.map(({ status }) => status))
  const candidates = ["418", "451", "507", "511"]
  return responses.flatMap((response): ReadonlyArray<{ readonly status: number; readonly response: Api.Response }> => {
    const { status } = response
    if (/^[45]\d\d$/.test(status)) return [{ status: Number(status), response }]
    const range = status === "DEFAULT" ? "" : status[0]
    if (range !== "" && range !== "4" && range !== "5") return []
    const free = candidates.find(
      (one) => one.startsWith(range) && !declared.has(one) && (range !== "" || !declared.has(`${one[0]}XX`))
    )
    // a default that is the success does not say what refusals hold
    const isSuccess = successes.some((one) => one.status === status)
    return free === undefined
      ? []
      : [{ status: Number(free), response: isSuccess ? withoutContent(response) : response }]
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

/** All calls of an operation. */
export function* make(
  maker: Sample.Maker,
  declared: Api.Operation,
  operation: Operation.Any,
  tried: Tried
): Generator<Case | Unjudged> {
  const target =
    declared.method === "HEAD" ? { ...declared, responses: declared.responses.map(withoutContent) } : declared
  const successes = successesOf(target, operation)
  const [first, ...others] = successes
  if (first === undefined) return
  const success = { _tag: "success", hasStatus: operation.success._tag === "OneOf" } as const
  const input = (variation: Variation, choice = 0) => Sample.make(maker, target, operation, variation, choice)
  const response = (variation: Variation, { response, status } = first) => {
    const content = Reply.contentOf(response, operation.success.accept)
    const reply =
      content === undefined && response.contents.length > 0
        ? undefined
        : Reply.make(maker.schemas, maker.values, status, content, variation)
    return { response, content, reply }
  }

  /** A case of {@link make}, or why there is none. */
  function* guard(round: Round, note: string, make: () => Iterable<Case | Unjudged>): Generator<Case | Unjudged> {
    try {
      yield* make()
    } catch (error) {
      // a schema in a schema, without end
      const isEndless = error instanceof RangeError
      if (!(error instanceof Beyond || error instanceof Unfollowed || isEndless)) throw error
      yield { _tag: "Unjudged", round, note, reason: error.message }
    }
  }
  const put = (round: Round, note: string, rest: () => Partial<Case> = () => ({})) =>
    guard(round, note, () => {
      const given = rest()
      const base = "reply" in given ? undefined : response(fullResponse)
      const sent = given.input ?? everything()
      if (sent.isApart || given.reply?.made?.isApart === true) return []
      return [
        {
          _tag: "Case",
          round,
          note,
          choice: 0,
          end: success,
          response: first.response,
          content: undefined,
          reply: undefined,
          ...base,
          ...given,
          input: sent
        }
      ]
    })
  let whole: Sample.Sample | undefined
  const everything = () => (whole ??= input(full))

  /** A variation for each alternative that a place has, at any depth. */
  function* branches(
    round: Round,
    side: Variation["side"],
    make: (chosen: Chosen) => Made | undefined
  ): Generator<{ readonly note: string; readonly chosen: Chosen; readonly round: Round }> {
    const seen = new Set<string>()
    const queue: Array<Chosen> = [new Map()]
    for (const chosen of queue) {
      const made = make(chosen)
      for (const [place, count] of made?.alternatives ?? []) {
        const last = made?.open.has(place) === true ? 2 * count - 1 : count
        for (let i = 1; i < last; i++) {
          const key = `${place} ${i}`
          if (seen.has(key) || seen.size >= mostAlternatives) continue
          seen.add(key)
          const times = tried.get(`${side} ${key}`) ?? 0
          if (times >= mostOperations && place.startsWith("#/components/")) continue
          tried.set(`${side} ${key}`, times + 1)
          // two of those that can fit together
          const next = new Map([...chosen, [place, i < count ? [i] : [0, i - count + 1]]])
          if (i < count) queue.push(next)
          yield {
            round: i < count ? round : "overlap",
            note: `${place.replace(/^#\/(?:components\/schemas\/)?/, "")} ${i < count ? i + 1 : `1 and ${i - count + 2}`}`,
            chosen: next
          }
        }
      }
    }
  }

  /** The responses that callers may get in place of one. */
  function* responses(
    round: Round,
    about: ReadonlyArray<string>,
    base: Variation,
    make: (variation: Variation) => Partial<Case>
  ): Generator<Case | Unjudged> {
    const title = (...more: ReadonlyArray<string>) => [...about, ...more].join(" ")
    const grown = new Set<string>()
    function* later(note: string, variation: Variation): Generator<Case | Unjudged> {
      const made = make(variation).reply?.made
      if (typeof made?.value === "object" && made.value !== null)
        yield* put("extra field", note, () => make({ ...variation, hasExtra: true }))
      if ((made?.enums ?? 0) > 0) yield* put("new value", note, () => make({ ...variation, hasNewValues: true }))
      for (let nullDepth = 1; nullDepth <= (made?.nullDepth ?? 0); nullDepth++)
        yield* put("null", `${note} at depth ${nullDepth}`.trim(), () => make({ ...variation, nullDepth }))
      for (const newVariant of made?.growing ?? []) {
        if (grown.has(newVariant)) continue
        grown.add(newVariant)
        yield* put("new variant", `${note} ${newVariant}`, () => make({ ...variation, newVariant }))
      }
    }
    yield* guard(round, title("response"), function* () {
      yield* later(title("response"), base)
      const made = (chosen: Chosen) => make({ ...base, chosen }).reply?.made
      for (const { chosen, note, round: own } of branches(round, "response", made)) {
        yield* put(own, title("response", note), () => make({ ...base, chosen }))
        yield* later(title("response", note), { ...base, chosen })
      }
    })
    yield* guard("examples", title("response"), function* () {
      const { content, reply } = make(base)
      const most = Math.max(content?.examples.length ?? 0, reply?.made?.examples ?? 0)
      for (let example = 0; example < Math.min(most, mostExamples); example++)
        yield* put("examples", title("response", `${example + 1}`), () => make({ ...base, example }))
    })
  }

  yield* put("full", "")
  for (const other of others) yield* put("full", `status ${other.status}`, () => response(fullResponse, other))
  yield* put("minimal", "", () => ({
    input: input({ ...full, isFull: false }),
    ...response({ ...fullResponse, isFull: false })
  }))

  const payloads = operation.payload?._tag === "Choice" ? operation.payload.payloads.length : 1
  for (let choice = 1; choice < payloads; choice++)
    yield* put("alternatives", `content ${choice + 1}`, () => ({ choice, input: input(full, choice) }))
  yield* guard("alternatives", "request", function* () {
    for (let skip = 1; skip < Math.min(everything().values, mostAlternatives); skip++)
      yield* put("alternatives", `values after ${skip}`, () => ({ input: input({ ...full, skip }) }))
    const made = (chosen: Chosen) => input({ ...full, chosen }).body?.made
    for (const { chosen, note, round } of branches("alternatives", "request", made))
      yield* put(round, `request ${note}`, () => ({ input: input({ ...full, chosen }) }))
  })
  yield* guard("examples", "request", function* () {
    for (let example = 0; example < Math.min(everything().examples, mostExamples); example++)
      yield* put("examples", `request ${example + 1}`, () => ({ input: input({ ...full, example }) }))
  })
  for (const one of successes)
    yield* responses("alternatives", [], fullResponse, (variation) => response(variation, one))

  yield* guard("null", "", function* () {
    // a form cannot hold null
    const requested = everything().body?.content.kind === "json" ? everything().body?.made : undefined
    for (let nullDepth = 1; nullDepth <= (requested?.nullDepth ?? 0); nullDepth++)
      yield* put("null", `request at depth ${nullDepth}`, () => ({ input: input({ ...full, nullDepth }) }))
  })

  for (const { response, status } of failuresOf(
    target,
    successes.map(({ response }) => response)
  )) {
    const end = { _tag: "refusal" } as const
    const [content] = response.contents.toSorted((a, b) => Number(b.kind === "json") - Number(a.kind === "json"))
    const reply = (variation: Variation) => Reply.make(maker.schemas, maker.values, status, content, variation)
    if (content?.kind !== "json") {
      yield* put("free text", `status ${status}`, () => ({ end, response, content, reply: reply(fullFailure) }))
      continue
    }
    yield* put("errors", `status ${status}`, () => ({ end, response, content, reply: reply(fullFailure) }))
    yield* guard("free text", `status ${status}`, function* () {
      const plain = reply(fullFailure)
      const value = freed(plain.value)
      if (Digits.stringify(value) !== Digits.stringify(plain.value))
        yield* put("free text", `status ${status}`, () => ({
          end,
          response,
          content,
          reply: { ...plain, value, body: Digits.stringify(value) }
        }))
    })
    yield* responses("errors", [`status ${status}`], fullFailure, (variation) => ({
      end,
      response,
      content,
      reply: reply(variation)
    }))
  }

  const content = Reply.contentOf(first.response, operation.success.accept)
  if (content?.kind === "events" || content?.kind === "lines") yield* put("streams", "")
  for (const [note, pages] of Pages.kinds(maker.schemas, content, operation))
    yield* put("pages", note, () => ({ pages, input: Pages.first(operation, everything()) }))

  yield* guard("incomplete", "", function* () {
    const least = input({ ...full, isFull: false })
    const remove = (path: ReadonlyArray<string>) =>
      put("incomplete", `without ${path.join(".")}`, () => ({ input: least, end: { _tag: "not sent", remove: path } }))
    const names = least.parameters.map(({ parameter }) => `${parameter.where} ${parameter.name.toLowerCase()}`)
    for (const { parameter } of least.parameters) {
      const { name, where } = parameter
      const isTwice = where === "header" && names.filter((one) => one === `${where} ${name.toLowerCase()}`).length > 1
      if (Sample.isOwnKey(operation, parameter) || isTwice) continue
      const places = { path: [operation.names?.params?.[name] ?? name], query: ["query", name] }
      const inHeaders = { header: ["headers", name], cookie: ["headers", "cookie", name] }
      yield* remove({ ...places, ...inHeaders }[where])
    }
    if (target.body?.isRequired === true && least.body !== undefined) {
      yield* remove(["payload"])
      const { content, made } = least.body
      if (content.kind === "json" || content.kind === "form")
        for (const name of made?.required ?? [])
          yield* remove(["payload", ...(operation.payload?._tag === "Choice" ? ["value"] : []), name])
    }
  })
}
