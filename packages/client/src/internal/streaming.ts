import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { InvalidResponse } from "../CallError.ts"
import * as Content from "./content.ts"
import { closers, isStream, iterate } from "./iterate.ts"
import { jsonForm } from "./jsonForm.ts"
import type { Failure, OpenResponse } from "./openResponse.ts"
import * as OptionRules from "../OptionRules.ts"
import { timeout } from "./timeLimit.ts"
import * as TransportFailure from "./transportFailure.ts"

const readBytes = ({ deadline, errorOf, response, sanitize }: OpenResponse): Stream.Stream<Uint8Array, Failure> =>
  response.stream.pipe(
    Stream.mapError((error) => TransportFailure.classify(error, sanitize).reason),
    Stream.timeoutOrElse({
      duration: deadline.stall,
      orElse: () => Stream.fail(timeout(OptionRules.millis(deadline.stall)))
    }),
    Stream.mapError(errorOf)
  )

/** The failure of a part that does not fit; `problem` ends a sentence that begins with "the body". */
export const invalid = ({ errorOf }: OpenResponse, problem: string): Failure =>
  errorOf(new InvalidResponse({ message: `the body ${problem}` }))

/**
 * A value for each part of a body, as it arrives.
 */
export interface Streaming<out A>
  extends Content.Body<"Stream", Schema.Codec<Stream.Stream<A, Failure>>>, Content.Readable {
  /** How the parts are told apart. */
  readonly framing: "bytes" | "lines" | "events"
  /** The schema of a part that is not bytes. */
  readonly item?: Schema.Codec<unknown, unknown>
  /** The schemas of the data of events by their types, if they are declared. */
  readonly named?: Readonly<Record<string, Schema.Codec<unknown, unknown>>>
  /** The data of the event that ends the stream, if it is declared. */
  readonly sentinel?: string
}

/** Whether what came can be the declared type: an error or a login page is another document, however it is declared. */
const isOther = (type: string): boolean => /^text\/html|^application\/([^;]+\+)?(json|xml)$/.test(type)

/** A body of another type is read only for its start. */
const unread: Content.Read = (body, { headers }, sanitize) => {
  const start = sanitize(Content.utf8(body))
  return Result.fail(
    `is ${Content.essence(headers["content-type"]) || "of no type"}${start && `, and begins: ${start}`}`
  )
}

const streams: Schema.Codec<Stream.Stream<never, Failure>> = /* @__PURE__ */ Schema.declare(
  (value): value is Stream.Stream<never, Failure> => isStream(value)
)

/** `isOwn` says whether the type of a response is the one that is declared. */
export const kind = <A>(
  accept: string,
  isOwn: (type: string) => boolean,
  open: (response: OpenResponse, codec?: Content.JsonCodec) => Stream.Stream<A, Failure>
) => ({
  _tag: "Stream" as const,
  schema: streams,
  accept,
  read: unread,
  iterate,
  open: (response: OpenResponse, codec?: Content.JsonCodec) => {
    const { headers, status } = response.response
    const type = Content.essence(headers["content-type"])
    if (status !== 204 && type !== Content.essence(accept) && !isOwn(type)) return undefined
    const stream = Stream.tapError(open(response, codec), ({ attempts, reason, requestId, status }) =>
      response.emit({ _tag: "StreamFailed", attempts, reason: reason._tag, requestId, status })
    )
    const read = Effect.ignore(Stream.runHead(response.response.stream))
    const close = (fiber: Fiber.Fiber<void>) => Effect.andThen(Effect.yieldNow, Fiber.interrupt(fiber))
    closers.set(stream, Effect.flatMap(Effect.forkDetach(read, { startImmediately: true }), close))
    return stream
  }
})

/** Makes values of texts of JSON. The failure ends a sentence that begins with "the body". */
export const decoder = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Content.safeDecoder(jsonForm(schema))
  const decodeExact = Content.safeDecoder(jsonForm(schema, true))
  return (text: string, { sanitize }: OpenResponse, json: Content.JsonCodec): Result.Result<A, string> =>
    Result.flatMap(Result.try({ try: () => json.parse(text), catch: () => "has a part that is not JSON" }), (value) =>
      Result.mapError(
        (json === JSON ? decode : decodeExact)(value),
        ({ isOurs, message }) => `has a part that does not match its schema: ${sanitize(message, isOurs)}`
      )
    )
}

/** As many characters of a line, or of the data of an event, are kept in memory. */
export const longest = 10 * 1024 * 1024

export const textLines = (response: OpenResponse): Stream.Stream<string, Failure> =>
  readBytes(response).pipe(
    Stream.decodeText,
    Stream.mapAccumEffect(
      () => 0,
      (length, text) => {
        const end = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"))
        const open = (end < 0 ? length : -1 - end) + text.length
        return open > longest
          ? Effect.fail(invalid(response, `has a line of more than ${longest} characters`))
          : Effect.succeed([open, [text]] as const)
      }
    ),
    Stream.splitLines
  )

/** The texts after record separators (RFC 7464). One that is whole is not kept until the next begins. */
const records = (response: OpenResponse): Stream.Stream<string, Failure> =>
  readBytes(response).pipe(
    Stream.decodeText,
    Stream.mapAccumEffect(
      () => "",
      (open, text) => {
        const all = (open + text).split("\x1e")
        const [last = ""] = all.slice(-1)
        const isWhole = last.endsWith("\n") && Result.isSuccess(Result.try((): unknown => JSON.parse(last)))
        return last.length > longest
          ? Effect.fail(invalid(response, `has a text of more than ${longest} characters`))
          : Effect.succeed(isWhole ? (["", all] as const) : ([last, all.slice(0, -1)] as const))
      },
      { onHalt: (open) => [open] }
    )
  )

const readTexts = <A>(schema: Schema.Codec<A, unknown>, textsOf: typeof records) => {
  const decode = decoder(schema)
  return (response: OpenResponse, json: Content.JsonCodec = JSON): Stream.Stream<A, Failure> =>
    textsOf(response).pipe(
      Stream.filter((text) => text.trim() !== ""),
      Stream.mapEffect((text) =>
        Effect.fromResult(Result.mapError(decode(text, response, json), (problem) => invalid(response, problem)))
      )
    )
}

/**
 * Bytes of a response as they arrive.
 *
 * **Details**
 *
 * The call ends with the head of the response, and its value is the stream. Run the stream once, or not at all: the
 * connection is closed when it ends, fails or is interrupted. `deadline.stall` bounds the wait for each part. What
 * fails after the head is not sent again.
 */
export const stream = (contentType = "application/octet-stream"): Streaming<Uint8Array> => ({
  // without a type of its own it is any bytes
  ...kind(contentType, (type) => contentType === "application/octet-stream" || !isOther(type), readBytes),
  framing: "bytes"
})

/**
 * JSON of a schema in each line of a response, as it arrives; empty lines are skipped.
 *
 * **Details**
 *
 * A response of another JSON, XML or HTML is an `InvalidResponse`, and not a stream without lines. With the content type
 * `application/json-seq`, JSON follows each record separator (RFC 7464).
 */
export const jsonLines = <A>(schema: Schema.Codec<A, unknown>, contentType = "application/x-ndjson"): Streaming<A> => ({
  ...kind(
    contentType,
    (type) => !isOther(type),
    readTexts(schema, /[/+]json-seq\b/.test(contentType) ? records : textLines)
  ),
  framing: "lines",
  item: schema
})
