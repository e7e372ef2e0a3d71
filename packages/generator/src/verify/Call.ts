import { CallError, type Client, type Operation } from "@cloud-management/client"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { isObject, property } from "../read/Json.ts"
import { without } from "../served/Mend.ts"
import type * as Api from "../served/Api.ts"
import * as Digits from "../served/Digits.ts"
import * as Fields from "../served/Fields.ts"
import * as Reply from "../served/Reply.ts"
import type { Received } from "../served/Request.ts"
import type * as Server from "../served/Server.ts"
import type { Case } from "./Case.ts"
import * as Difference from "./Difference.ts"
import * as Pages from "./Pages.ts"
import * as Sent from "./Sent.ts"
import * as Typed from "./Typed.ts"

export interface Context {
  readonly respondWith: (respond: Server.Respond) => void
  readonly client: Client.Client<Client.Registry>
  readonly checks: Sent.Checks
}

const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> => Stream.isStream(value)

/** A stream, alone or beside its status, is read to its end; of events, their data. */
const whole = (value: unknown, hasEvents: boolean): Effect.Effect<unknown, unknown> => {
  const inner = property(value, "value")
  if (isObject(value) && isStream(inner))
    return Effect.map(whole(inner, hasEvents), (parts) => ({ ...value, value: parts }))
  if (!isStream(value)) return Effect.succeed(value)
  return Effect.map(Stream.runCollect(value), (items) => {
    const parts: ReadonlyArray<unknown> = items
    if (parts.length > 0 && parts.every((part) => part instanceof Uint8Array))
      return Uint8Array.from(Buffer.concat(parts))
    return hasEvents ? parts.map((part) => property(part, "data")) : parts
  })
}

const line = (text: string) => text.replaceAll(/\s+/g, " ").slice(0, 300)

const isCallError = (
  error: unknown
): error is CallError.CallError<{ readonly _tag: string; readonly message: string }> =>
  error instanceof CallError.CallError

const failure = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return line(error instanceof Error ? error.message : String(error))
}

/** The request and the response for people: their beginnings, without the headers and the credentials. */
export interface Exchange {
  readonly sent: string
  readonly received: string
}

const begin = (body: string | Uint8Array): string => {
  const text = typeof body === "string" ? body : Buffer.from(body).toString()
  return text.includes("\ufffd") ? `(${body.length} bytes)` : text.length > 500 ? `${text.slice(0, 500)}…` : text
}

const exchangeOf = (received: Received, { body, status }: Reply.Reply, fakes: Sent.Checks["fakes"]): Exchange => {
  const query = received.query
    .filter(([name]) => !fakes.query.has(Fields.plain(name)))
    .map((pair) => pair.join("="))
    .join("&")
  const target = query === "" ? received.path : `${received.path}?${query}`
  return {
    sent: `${received.method} ${begin(target)} ${begin(received.body)}`.trimEnd(),
    received: `${status} ${begin(body)}`.trimEnd()
  }
}

/** A call that failed: why, and in which exchange. */
export interface Problem extends Partial<Exchange> {
  readonly reason: string
}

const ofSuccess = (
  reply: Reply.Reply,
  operation: Operation.Any,
  value: unknown,
  hasStatus: boolean,
  isKnown: boolean
) => {
  const status = property(value, "status")
  if (hasStatus && status !== reply.status) return `the status is ${String(status)}, not ${reply.status}`
  const given = hasStatus ? property(value, "value") : value
  // where the document does not say that it is a text, bytes say all of it
  const actual =
    typeof reply.value === "string" && reply.made === undefined && given instanceof Uint8Array
      ? Buffer.from(given).toString()
      : given
  const isEnvelope = isObject(reply.value) && operation.success._tag === "Envelope"
  const expected = isEnvelope ? property(reply.value, "result") : reply.value
  const problem = Difference.between(expected, actual, "", { isKnown })
  return problem === undefined ? undefined : `the client returns ${problem}`
}

/** Names of fields that have the text of a refusal, the most telling one first. */
const texts = ["message", "error_description", "detail", "error", "title", "msg", "error_msg", "description", "reason"]

/** The text in the body of a refusal that a client is to report; `undefined` if no field is known for it. */
const textOf = (body: unknown): string | undefined => {
  if (Array.isArray(body)) return typeof body[0] === "string" && body[0] !== "" ? body[0] : textOf(body[0])
  for (const name of texts) {
    const found = property(body, name)
    if (typeof found === "string" && found !== "") return found
    const inner = found === undefined ? undefined : textOf(found)
    if (inner !== undefined) return inner
  }
  return undefined
}

/**
 * Whether a message has a text. A client quotes the first 200 characters on one line, and withholds a text that can hide a
 * secret (docs/decisions/0014-withholding-quotes.md).
 */
const quotes = (message: string, text: string): boolean =>
  message.includes(
    text
      .replace(/[\s\p{C}]+/gu, " ")
      .slice(0, 200)
      .trim()
  ) ||
  (message.startsWith("(withheld") && /[^ -~]|[\\%&]|[\w+/-]{10}/.test(text.slice(0, 400)))

const ofRefusal = (
  reply: Reply.Reply,
  operation: Operation.Any,
  exit: Exit.Exit<unknown, unknown>,
  isKnown: boolean
) => {
  if (Exit.isSuccess(exit)) return `a response with status ${reply.status} is a success`
  const error = Cause.squash(exit.cause)
  if (!isCallError(error)) return failure(exit.cause)
  const { reason } = error
  const isDeclared = operation.errors.some((refusal) => reason instanceof refusal)
  // where all fields are optional, an object without any does not say who sent it
  const isEmpty = isObject(reply.value) && Object.keys(reply.value).length === 0
  if (!isDeclared && isEmpty && reason._tag === "UnexpectedStatus") return undefined
  if (!isDeclared) return `status ${reply.status} is not a declared refusal: ${line(error.message)}`
  if (error.status !== reply.status) return `the status is ${String(error.status)}, not ${reply.status}`
  const text = typeof reply.value === "string" ? reply.value.trim() : textOf(reply.value)
  if (text !== undefined && !quotes(reason.message, text)) return `the message is “${reason.message}”, not “${text}”`
  if (reply.made === undefined) return undefined
  const body = property(reason, "body")
  if (!("body" in reason)) return `the refusal has no body for ${line(Digits.stringify(reply.value))}`
  const problem = Difference.between(reply.value, body, "", { isKnown })
  return problem === undefined ? undefined : `the refusal's body has ${problem}`
}

/** Makes a call, and says what is wrong with it; `undefined` if nothing is. */
export const run = Effect.fnUntraced(function* (
  target: Api.Operation,
  operation: Operation.Any,
  one: Case,
  context: Context
) {
  let exchange: Exchange | undefined
  const reason = yield* problemOf(target, operation, one, context, (received, reply) => {
    exchange = exchangeOf(received, reply, context.checks.fakes)
  })
  return reason === undefined ? undefined : ({ reason, ...exchange } satisfies Problem)
})

const problemOf = Effect.fnUntraced(function* (
  target: Api.Operation,
  operation: Operation.Any,
  one: Case,
  context: Context,
  onExchange: (received: Received, reply: Reply.Reply) => void
) {
  const { respondWith, checks, client } = context
  const { end } = one
  const typed = Typed.make(operation, one.input, one.choice)
  if (Result.isFailure(typed)) return line(typed.failure)
  let wrong: string | undefined
  let requests = 0
  let last: Reply.Reply | undefined
  const pages = one.pages === undefined ? undefined : Pages.make(target, operation, one.pages)
  respondWith((received) => {
    const input = pages === undefined ? one.input : pages.input(one.input, requests)
    const isRight = wrong === undefined
    wrong ??= Sent.check(target, operation, input, received, checks)
    const { accept = "*/*" } = received.headers
    const isAsked = one.content === undefined || Reply.contentOf(one.response, accept) === one.content
    const reply =
      one.reply === undefined || pages === undefined ? one.reply : pages.reply(one.reply, requests, received)
    requests++
    if (reply === undefined || (!isAsked && end._tag === "success"))
      wrong ??= `the client accepts ${accept}, which is not declared`
    last = reply
    const given = reply ?? { status: 500, headers: {}, body: "", value: undefined, made: undefined }
    if (isRight) onExchange(received, given)
    return given
  })
  const call = client[operation.group]?.[operation.name]
  if (call === undefined) return "the client has no such method"
  if (pages !== undefined) {
    const exit = yield* Effect.exit(pages.collect(client, typed.success))
    return wrong ?? (Exit.isSuccess(exit) ? pages.problem(exit.value) : failure(exit.cause))
  }
  const input = end._tag === "not sent" ? without(typed.success, end.remove) : typed.success
  // a call that has no part of its input is one without input
  const exit = yield* Effect.exit(
    Effect.flatMap(
      Effect.suspend(() => call(isObject(input) ? input : undefined)),
      (value) => whole(value, /event-stream/.test(last?.headers["content-type"] ?? ""))
    )
  )
  if (end._tag === "not sent") {
    if (requests > 0 || Exit.isSuccess(exit)) return `it is sent without ${end.remove.join(".")}, which is required`
    const error = Cause.squash(exit.cause)
    return isCallError(error) && error.reason instanceof CallError.InvalidInput
      ? undefined
      : `it fails otherwise: ${failure(exit.cause)}`
  }
  if (wrong !== undefined) return wrong
  if (last === undefined) return Exit.isSuccess(exit) ? "no request was sent" : failure(exit.cause)
  if (requests > 1) return `${requests} requests were sent`
  const isKnown = one.round !== "new variant"
  if (end._tag === "invalid") {
    if (Exit.isSuccess(exit)) return "a body that the document does not allow is a success"
    const error = Cause.squash(exit.cause)
    return isCallError(error) && error.reason._tag === "InvalidResponse" ? undefined : failure(exit.cause)
  }
  if (end._tag === "refusal") return ofRefusal(last, operation, exit, isKnown)
  return Exit.isFailure(exit) ? failure(exit.cause) : ofSuccess(last, operation, exit.value, end.hasStatus, isKnown)
})
