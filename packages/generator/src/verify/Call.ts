import type * as Client from "@cloud-management/client/Client"
import * as CallError from "@cloud-management/client/CallError"
import type * as Operation from "@cloud-management/client/Operation"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Document } from "../Document.ts"
import { isObject, property } from "../Json.ts"
import type { Case } from "./Cases.ts"
import * as Difference from "./Difference.ts"
import * as Digits from "./Digits.ts"
import * as Input from "./Input.ts"
import * as Pages from "./Pages.ts"
import * as Reply from "./Reply.ts"
import * as RequestCheck from "./RequestCheck.ts"
import type { Received, Server } from "./Server.ts"
import type { Target } from "./Target.ts"

/** What calls need. */
export interface Context {
  readonly document: Document
  readonly server: Server
  readonly client: Client.Client<Client.Registry>
  readonly checks: RequestCheck.Checks
}

const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> => Stream.isStream(value)

/** A stream is read to its end; its events are what their data is. */
const whole = (value: unknown): Effect.Effect<unknown, unknown> => {
  if (!isStream(value)) return Effect.succeed(value)
  return Effect.map(Stream.runCollect(value), (items) => {
    const parts: ReadonlyArray<unknown> = items
    if (parts.length > 0 && parts.every((part) => part instanceof Uint8Array))
      return Uint8Array.from(Buffer.concat(parts))
    return parts.map((part) => (isObject(part) && "data" in part ? part["data"] : part))
  })
}

const without = (input: object, [name = "", ...rest]: ReadonlyArray<string>): object =>
  Object.fromEntries(
    Object.entries(input).flatMap(([key, value]: [string, unknown]) =>
      key !== name ? [[key, value]] : rest.length === 0 ? [] : [[key, isObject(value) ? without(value, rest) : value]]
    )
  )

const line = (text: string) => text.replaceAll(/\s+/g, " ").slice(0, 300)

const isCloudError = (
  error: unknown
): error is CallError.CallError<{ readonly _tag: string; readonly message: string }> =>
  error instanceof CallError.CallError

const failure = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return line(error instanceof Error ? error.message : String(error))
}

/** What is wrong with a success. */
const ofSuccess = (reply: Reply.Reply, operation: Operation.Any, value: unknown, hasStatus: boolean) => {
  const status = property(value, "status")
  if (hasStatus && status !== reply.status) return `the status is ${String(status)}, not ${reply.status}`
  const actual = hasStatus ? property(value, "value") : value
  const isEnvelope = isObject(reply.value) && operation.success._tag === "Envelope"
  const expected = isEnvelope ? property(reply.value, "result") : reply.value
  if (expected instanceof Uint8Array) {
    const isSame = actual instanceof Uint8Array && Buffer.from(expected).equals(Buffer.from(actual))
    return isSame ? undefined : "the response's bytes are not what the client returns"
  }
  const problem = Difference.between(expected, actual)
  return problem === undefined ? undefined : `the client returns ${problem}`
}

/** What is wrong with an error. */
const ofRefusal = (reply: Reply.Reply, operation: Operation.Any, exit: Exit.Exit<unknown, unknown>) => {
  if (Exit.isSuccess(exit)) return `a response with status ${reply.status} is a success`
  const error = Cause.squash(exit.cause)
  if (!isCloudError(error)) return failure(exit.cause)
  const { reason } = error
  const isDeclared = operation.errors.some((refusal) => reason instanceof refusal)
  if (!isDeclared) return `status ${reply.status} is not a declared refusal: ${line(error.message)}`
  if (error.status !== reply.status) return `the status is ${String(error.status)}, not ${reply.status}`
  const text = typeof reply.value === "string" ? reply.value.trim() : Reply.textOf(reply.value)
  if (text !== undefined && !reason.message.includes(text)) return `the message is “${reason.message}”, not “${text}”`
  if (reply.example === undefined || property({ ...reason }, "body") === undefined) {
    const isLost =
      isObject(reply.value) &&
      !(reply.value instanceof Uint8Array) &&
      Object.keys(reply.value).length > 0 &&
      !("body" in reason)
    return isLost ? `the refusal has no body for ${line(Digits.stringify(reply.value))}` : undefined
  }
  const problem = Difference.between(reply.value, property({ ...reason }, "body"))
  return problem === undefined ? undefined : `the refusal's body has ${problem}`
}

/** Makes a call, and says what is wrong with it; `undefined` if nothing is. */
export const run = Effect.fnUntraced(function* (target: Target, operation: Operation.Any, one: Case, context: Context) {
  const { checks, client, document, server } = context
  const { end } = one
  const typed = Input.typed(document, operation, one.input, one.choice)
  if (Result.isFailure(typed)) return line(typed.failure)
  let wrong: string | undefined
  let requests = 0
  let last: Reply.Reply | undefined
  const pages = one.round === "pages" ? Pages.make(operation) : undefined
  const answer = async (received: Received) => {
    const input = pages === undefined ? one.input : pages.input(one.input, requests)
    wrong ??= await RequestCheck.check(target, operation, input, received, checks)
    const plain = one.reply(received.headers.accept ?? "*/*")
    const reply = plain === undefined || pages === undefined ? plain : pages.reply(plain, requests)
    requests++
    if (reply === undefined)
      wrong ??= `the client accepts ${received.headers.accept ?? "nothing"}, which is not declared`
    last = reply
    return reply ?? { status: 500, type: undefined, body: "", value: undefined, example: undefined }
  }
  server.answerWith((received) =>
    answer(received).catch((error: unknown) => {
      wrong ??= `the document cannot be followed: ${String(error)}`
      throw error
    })
  )
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
      Effect.suspend(() => call(input)),
      whole
    )
  )
  if (end._tag === "not sent") {
    if (requests > 0 || Exit.isSuccess(exit)) return `it is sent without ${end.remove.join(".")}, which is required`
    const error = Cause.squash(exit.cause)
    return isCloudError(error) && error.reason instanceof CallError.InvalidInput
      ? undefined
      : `it fails otherwise: ${failure(exit.cause)}`
  }
  if (wrong !== undefined) return wrong
  if (last === undefined) return Exit.isSuccess(exit) ? "no request was sent" : failure(exit.cause)
  if (requests > 1) return `${requests} requests were sent`
  if (end._tag === "refusal") return ofRefusal(last, operation, exit)
  return Exit.isFailure(exit) ? failure(exit.cause) : ofSuccess(last, operation, exit.value, end.hasStatus)
})
