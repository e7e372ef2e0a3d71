import type * as Operation from "@cloud-management/client/Operation"
import type { Document } from "../Document.ts"
import { isObject } from "../Json.ts"
import * as Digits from "./Digits.ts"
import type * as Example from "./Example.ts"
import * as Input from "./Input.ts"
import * as Reply from "./Reply.ts"
import type { Round } from "./Round.ts"
import type { Response, Target } from "./Target.ts"

/** One call: what is sent, what is answered, and how it is to end. */
export interface Case {
  readonly round: Round
  /** What it is about, for people. */
  readonly note: string
  readonly input: Input.Input
  readonly choice: number
  /** The answer for the media types that a request accepts. */
  readonly reply: (accept: string) => Reply.Reply | undefined
  readonly end:
    | { readonly _tag: "success"; readonly hasStatus: boolean }
    | { readonly _tag: "refusal" }
    | { readonly _tag: "not sent"; readonly remove: ReadonlyArray<string> }
}

/** Alternatives of alternatives multiply: so many of one operation and side are tried. */
const mostAlternatives = 60

/** In so many operations an alternative of a schema is tried that many share: their code is the same. */
const mostOperations = 3

/** How often the alternatives of shared schemas were tried, in all operations. */
export type Tried = Map<string, number>

/** An example for each alternative that a place has, at any depth. */
const branches = (
  side: Example.Variation["side"],
  tried: Tried,
  make: (alternatives: ReadonlyMap<string, number>) => Example.Example | undefined
): ReadonlyArray<ReadonlyMap<string, number>> => {
  const seen = new Set<string>()
  const found: Array<ReadonlyMap<string, number>> = [new Map()]
  for (const chosen of found) {
    const example = make(chosen)
    for (const [place, count] of example?.alternatives ?? []) {
      for (let i = 1; i < count; i++) {
        const key = `${place} ${i}`
        if (seen.has(key) || seen.size >= mostAlternatives) continue
        seen.add(key)
        const times = tried.get(`${side} ${key}`) ?? 0
        if (times >= mostOperations && place.startsWith("#/components/")) continue
        tried.set(`${side} ${key}`, times + 1)
        found.push(new Map([...chosen, [place, i]]))
      }
    }
  }
  return found.slice(1)
}

const full: Example.Variation = { side: "request", isFull: true }
const minimal: Example.Variation = { side: "request", isFull: false }
const answered: Example.Variation = { side: "answer", isFull: true }

/** The declared successes, with the statuses that they have. */
const successesOf = ({ responses, successes }: Target) => {
  const all = responses.filter(({ status }) => successes.includes(status))
  const exact = all.filter(({ status }) => /^\d+$/.test(status))
  return (exact.length > 0 ? exact : all).map((response) => {
    const status = /^\d+$/.test(response.status) ? Number(response.status) : 200
    return { status, response: [204, 205].includes(status) || status > 299 ? withoutContent(response) : response }
  })
}

const withoutContent = (response: Response): Response => ({ ...response, contents: [] })

/** The declared errors, with a status that each of them has. */
const failuresOf = ({ responses, successes }: Target) => {
  const declared = new Set(responses.map(({ status }) => status))
  const candidates = ["418", "451", "507", "511"]
  return responses.flatMap((response): ReadonlyArray<{ readonly status: number; readonly response: Response }> => {
    const { status } = response
    if (/^[45]\d\d$/.test(status)) return [{ status: Number(status), response }]
    const range = status === "DEFAULT" ? "" : status[0]
    if (range !== "" && range !== "4" && range !== "5") return []
    const free = candidates.find(
      (one) => one.startsWith(range) && !declared.has(one) && (range !== "" || !declared.has(`${one[0]}XX`))
    )
    // a default that is the success does not say what refusals hold
    const isSuccess = successes.includes(status)
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
export const make = (
  document: Document,
  declared: Target,
  operation: Operation.Any,
  tried: Tried
): ReadonlyArray<Case> => {
  const target =
    declared.method === "HEAD" ? { ...declared, responses: declared.responses.map(withoutContent) } : declared
  const cases: Array<Case> = []
  const [first, ...others] = successesOf(target)
  if (first === undefined) return cases
  const success = { _tag: "success", hasStatus: operation.success._tag === "OneOf" } as const
  const input = (variation: Example.Variation, choice = 0) =>
    Input.make(document, target, operation, { variation, choice })
  const answer =
    (variation: Example.Variation, { response, status } = first) =>
    (accept: string) => {
      const content = Reply.contentOf(response, accept)
      if (content === undefined && response.contents.length > 0) return undefined
      return Reply.make(document, status, content, variation)
    }
  const accept = operation.success.accept
  const sample = (variation: Example.Variation) => answer(variation)(accept)?.example
  const everything = input(full)
  const put = (round: Round, note: string, rest: Partial<Case> = {}) =>
    cases.push({ round, note, input: everything, choice: 0, reply: answer(answered), end: success, ...rest })

  put("full", "")
  for (const other of others) put("full", `status ${other.status}`, { reply: answer(answered, other) })
  put("minimal", "", { input: input(minimal), reply: answer({ side: "answer", isFull: false }) })

  const payloads = operation.payload?._tag === "Choice" ? operation.payload.payloads.length : 1
  for (let choice = 1; choice < payloads; choice++)
    put("alternatives", `content ${choice + 1}`, { choice, input: input(full, choice) })
  for (let skip = 1; skip < Math.min(everything.values, mostAlternatives); skip++)
    put("alternatives", `values after ${skip}`, { input: input({ ...full, skip }) })
  for (const alternatives of branches(
    "request",
    tried,
    (alternatives) => input({ ...full, alternatives }).body?.example
  ))
    put("alternatives", `request ${describe(alternatives)}`, { input: input({ ...full, alternatives }) })
  for (const one of [first, ...others]) {
    const variation = (alternatives: ReadonlyMap<string, number>) => ({ ...answered, alternatives })
    for (const alternatives of branches(
      "answer",
      tried,
      (alternatives) => answer(variation(alternatives), one)(accept)?.example
    ))
      put("alternatives", `response ${describe(alternatives)}`, { reply: answer(variation(alternatives), one) })
  }

  // a form cannot hold null
  const requested = everything.body?.content.kind === "json" ? everything.body.example : undefined
  for (let nullDepth = 1; nullDepth <= (requested?.nullDepth ?? 0); nullDepth++)
    put("null", `request at depth ${nullDepth}`, { input: input({ ...full, nullDepth }) })
  const plain = sample(answered)
  for (let nullDepth = 1; nullDepth <= (plain?.nullDepth ?? 0); nullDepth++)
    put("null", `response at depth ${nullDepth}`, { reply: answer({ ...answered, nullDepth }) })
  if ((plain?.enums ?? 0) > 0) put("new value", "", { reply: answer({ ...answered, hasNewValues: true }) })
  if (isObject(plain?.value) || Array.isArray(plain?.value))
    put("extra field", "", { reply: answer({ ...answered, hasExtra: true }) })

  for (const { response, status } of failuresOf(target)) {
    const end = { _tag: "refusal" } as const
    const [content] = response.contents
    const isJson = content?.kind === "json"
    const reply = Reply.make(document, status, content, answered)
    put(isJson ? "errors" : "free text", `status ${status}`, { end, reply: () => reply })
    if (!isJson) continue
    const value = freed(reply.value)
    if (Reply.textOf(value) !== Reply.textOf(reply.value))
      put("free text", `status ${status}`, { end, reply: () => ({ ...reply, value, body: Digits.stringify(value) }) })
    for (const alternatives of branches(
      "answer",
      tried,
      (alternatives) => Reply.make(document, status, content, { ...answered, alternatives }).example
    )) {
      const other = Reply.make(document, status, content, { ...answered, alternatives })
      put("errors", `status ${status} ${describe(alternatives)}`, { end, reply: () => other })
    }
  }

  const kind = Reply.contentOf(first.response, accept)?.kind
  if (kind === "events" || kind === "lines") put("streams", "")
  if (operation.pagination !== undefined) put("pages", "")

  const least = input(minimal)
  const remove = (path: ReadonlyArray<string>) =>
    put("incomplete", `without ${path.join(".")}`, { input: least, end: { _tag: "not sent", remove: path } })
  for (const { parameter } of least.parameters) {
    if (Input.isOwnKey(operation, parameter)) continue
    const { name, where } = parameter
    remove(
      where === "path" ? [operation.names?.params?.[name] ?? name] : [where === "query" ? "query" : "headers", name]
    )
  }
  if (target.body?.isRequired === true && least.body !== undefined) {
    remove(["payload"])
    const { content, example } = least.body
    if (content.kind === "json" || content.kind === "form")
      for (const name of example.required)
        remove(["payload", ...(operation.payload?._tag === "Choice" ? ["value"] : []), name])
  }
  return cases
}

const describe = (alternatives: ReadonlyMap<string, number>): string =>
  Array.from(alternatives, ([place, i]) => place.replace(/\/0$/, `/${i}`)).at(-1) ?? ""
