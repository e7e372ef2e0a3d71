import * as Effect from "effect/Effect"
import { constFalse, constVoid } from "effect/Function"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { TransportFailed } from "../CallError.ts"
import type { JsonCodec } from "./content.ts"
import type { Failure, OpenResponse } from "./openResponse.ts"
import * as OptionRules from "../OptionRules.ts"
import { octets } from "./redaction.ts"
import { decoder, invalid, kind, longest, type Streaming, textLines } from "./streaming.ts"

/**
 * An event that a service sends, or one whose data is not what the operation declares.
 *
 * **Details**
 *
 * Only the second has a `problem`; its `data` is the text as it came, which is not JSON or does not match its schema.
 */
export type ServerSentEvent<A> = Named<string, A> | Undecoded

/**
 * An event of one type, whose data was decoded.
 */
type Named<Type extends string, A> = {
  /** Its type. Default: `message`. */
  readonly event: Type
  readonly id?: string
  readonly data: A
  readonly problem?: undefined
}

/**
 * An event whose data is not what the operation declares.
 */
type Undecoded = Omit<Named<string, string>, "problem"> & {
  /** Why it was not decoded, without the text itself. */
  readonly problem: string
}

type Schemas = Readonly<Record<string, Schema.Codec<unknown, unknown>>>

/** The events of an operation that says which it has. */
type Events<A, Types extends Schemas> =
  | Named<"message", A>
  | { [Type in keyof Types & string]: Named<Type, Types[Type]["Type"]> }[keyof Types & string]
  | Undecoded

/** At least as long, in milliseconds, before a service is asked again, whatever it says in `retry`. */
const floor = 1000

/** A field of an event; a comment has no name. */
const field = /^([^:]*)(?:: ?)?(.*)$/s

/** An ID that a header can carry; another one is not sent. */
const isSendable = (id: string) => !/[\0-\x08\x0a-\x1f\x7f]/.test(id)

/** The events of a response, and of those that follow it. */
const readEvents = (schema: Schema.Codec<unknown, unknown>, named: Schemas | undefined, sentinel = "[DONE]") => {
  const other = decoder(schema)
  const decoders = new Map(Object.entries(named ?? {}).map(([type, schema]) => [type, decoder(schema)]))
  const decoderOf = (type: string) =>
    decoders.get(type) ?? (named === undefined || type === "message" ? other : undefined)
  return (first: OpenResponse, json: JsonCodec = JSON): Stream.Stream<ServerSentEvent<unknown>, Failure> =>
    Stream.suspend(() => {
      const { budget, errorOf, request, retry: policy } = first
      let lastId: string | undefined
      /** In milliseconds; a service that gives it asks to be called again. */
      let retry: number | undefined
      /** Connections without an event, and what was paid for them. */
      let failures = 0
      let paid = 0
      let broken: Failure | undefined
      /** No other connection follows. */
      let isOver = false

      const read = (response: OpenResponse): Stream.Stream<ServerSentEvent<unknown>, Failure> => {
        let [data, type] = ["", ""]
        let id: string | undefined
        const dispatch = () => {
          const [text, event] = [data.slice(0, -1), type || "message"]
          const isEmpty = data === ""
          data = type = ""
          if (id !== undefined && isSendable(id)) lastId = id
          if (isEmpty) return []
          failures = 0
          budget.deposit(paid)
          paid = 0
          // a heartbeat, or what begins a stream
          if (text === "") return []
          isOver = text === sentinel
          if (isOver) return [undefined]
          const decoded = decoderOf(event)?.(text, response, json) ?? Result.fail("has an event of another type")
          const common = { event, ...(id !== undefined && { id }) }
          return [
            Result.isSuccess(decoded)
              ? { ...common, data: decoded.success }
              : { ...common, data: text, problem: `the body ${decoded.failure}` }
          ]
        }
        /** HTML standard, section 9.2.6. */
        const take = (line: string): ReadonlyArray<ServerSentEvent<unknown> | undefined> => {
          if (line === "") return dispatch()
          const [, name, value = ""] = field.exec(line) ?? []
          if (name === "data") data += `${value}\n`
          else if (name === "event") type = value
          else if (name === "id" && !value.includes("\0")) id = value
          else if (name === "retry" && /^\d+$/.test(value)) retry = Number(value)
          return []
        }
        isOver = response.response.status === 204
        return textLines(response).pipe(
          Stream.mapAccumEffect(constVoid, (_, line) => {
            const events = take(line)
            return data.length > longest
              ? Effect.fail(invalid(response, `has an event of more than ${longest} characters`))
              : Effect.succeed([undefined, events] as const)
          }),
          Stream.takeWhile((event) => event !== undefined),
          Stream.concat(
            Stream.suspend(() => {
              isOver ||= retry === undefined || !request
              const message = "the service ended the stream, and asked to be called again"
              return isOver ? Stream.empty : Stream.fail(errorOf(new TransportFailed({ message, transient: true })))
            })
          ),
          Stream.catch((error) => {
            broken = error
            return request && error.isRetryable && failures + 1 < policy.attempts ? Stream.empty : Stream.fail(error)
          })
        )
      }
      /** Asks again after a wait, and pays for it as for any retry. */
      const again = (error: Failure) =>
        Effect.suspend(() => {
          const { retry: cost } = policy.budget
          if (!request || budget.available() < cost) return Effect.fail(error)
          budget.withdraw(cost)
          paid += cost
          failures++
          // an empty ID takes back the one before
          return first.begin(lastId ? HttpClientRequest.setHeader(request, "last-event-id", octets(lastId)) : request)
        })
      const connect = (response: OpenResponse | undefined) => {
        if (response === undefined) return Effect.succeed([first, first] as const)
        if (isOver || broken === undefined) return Effect.undefined
        const wait = Math.max(floor, Math.min(retry ?? 3000, OptionRules.millis(policy.maxHint)))
        return Effect.map(Effect.delay(again(broken), wait), ({ value }) => [value, value] as const)
      }
      return Stream.flatMap(
        Stream.unfold<OpenResponse | undefined, OpenResponse, Failure, never>(undefined, connect),
        read
      )
    })
}

/**
 * Server-sent events (HTML standard, section 9.2), each with JSON of a schema as its data.
 *
 * **Details**
 *
 * `named` has the schemas of events by their types; `schema` is then that of `message`. `sentinel` is the data that ends
 * the stream, by default `[DONE]`. Events without data are skipped. One whose data does not match has a `problem`, and the
 * stream goes on. A response that is not `text/event-stream` is an `InvalidResponse`.
 *
 * If the connection breaks, and the operation may be repeated, the client asks again with `last-event-id` after the time
 * that the service gave in `retry`, by default 3 seconds, at least one, and at most `maxHint` of the retry policy. A
 * response that ends without a break ends the stream, unless the service has sent `retry`; then the client asks again until
 * the service responds with 204. Each time costs tokens of the retry budget, which an event returns. The stream fails after
 * as many connections without an event as a call has attempts, or without tokens.
 *
 * **Example** (Declaring the events of a job)
 *
 * ```ts
 * import * as Body from "@cloud-management/client/Body"
 * import * as Schema from "effect/Schema"
 *
 * const Events = Body.events(Schema.Struct({ done: Schema.Finite }), {
 *   named: { error: Schema.Struct({ message: Schema.String }) },
 *   sentinel: "END"
 * })
 * ```
 */
export function events<A>(
  schema: Schema.Codec<A, unknown>,
  options?: { readonly named?: undefined; readonly sentinel?: string }
): Streaming<ServerSentEvent<A>>
export function events<A, const Types extends Schemas>(
  schema: Schema.Codec<A, unknown>,
  options: { readonly named: Types; readonly sentinel?: string }
): Streaming<Events<A, Types>>
export function events(
  schema: Schema.Codec<unknown, unknown>,
  { named, sentinel }: { readonly named?: Schemas | undefined; readonly sentinel?: string } = {}
): Streaming<unknown> {
  return {
    ...kind("text/event-stream", constFalse, readEvents(schema, named, sentinel)),
    framing: "events",
    item: schema,
    ...(named && { named }),
    ...(sentinel !== undefined && { sentinel })
  }
}
