import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Body from "../Body.ts"
import * as CallError from "../CallError.ts"
import { safeDecoder } from "./content.ts"
import { codecOf } from "./endpointSchema.ts"
import type { Failure, OpenResponse } from "./openResponse.ts"
import { property } from "./property.ts"
import { refusedOf } from "./response.ts"

export const streamOf = (schema: HttpApiSchema.StreamSchema): Body.Streaming<unknown> => {
  const accept = schema.contentTypes.join(", ")
  switch (schema._tag) {
    case "StreamUint8Array":
      return Body.stream(accept)
    case "StreamNdjson":
      return Body.jsonLines(codecOf(Schema.toCodecJson(schema.schema)), accept)
    case "StreamSse":
      return eventsOf(schema)
  }
}

const isEvents = (value: unknown): value is Stream.Stream<Body.ServerSentEvent<string>, Failure> =>
  Stream.isStream(value)

/** The event by which a server of Effect says that its stream failed. */
const failureEvent = "effect/http-api/stream/failure"

/** Events whose data stays a text, since their schema reads it. */
const eventsOf = (schema: Extract<HttpApiSchema.StreamSchema, { readonly _tag: "StreamSse" }>) => {
  const texts = Body.events(Schema.String)
  const decode = safeDecoder<unknown>(codecOf(schema.events))
  const failure = Schema.fromJsonString(Schema.toCodecJson(Schema.Cause(schema.error, Schema.Defect())))
  const decodeFailure = safeDecoder<Cause.Cause<unknown>>(codecOf(failure))
  const read =
    ({ errorOf, response, sanitize }: OpenResponse) =>
    (event: Body.ServerSentEvent<string>): Effect.Effect<unknown, Failure> => {
      const invalid = (problem: string) =>
        Effect.fail(errorOf(new CallError.InvalidResponse({ message: `the body ${problem}` })))
      if (event.event === failureEvent) {
        const error = Result.getOrUndefined(Result.map(decodeFailure(event.data), Cause.findErrorOption))
        if (error === undefined || Option.isNone(error)) return invalid("ends with a failure of the service")
        const { status } = response
        const tag = property(error.value, "_tag")
        const message = property(error.value, "message")
        const refusal = CallError.refusal(Predicate.isString(tag) ? tag : `Status${status}`, status)
        const info = { status, message: sanitize(Predicate.isString(message) ? message : "the stream failed") }
        return Effect.fail(errorOf(refusedOf(refusal, { ...info, body: error.value })))
      }
      const decoded = decode(event)
      if (Result.isFailure(decoded))
        return invalid(
          `has an event that does not match its schema: ${sanitize(decoded.failure.message, decoded.failure.isOurs)}`
        )
      return Effect.succeed(schema.sseMode === "data" ? property(decoded.success, "data") : decoded.success)
    }
  return {
    ...texts,
    accept: schema.contentType,
    open: (response: OpenResponse) => {
      const events = texts.open?.(response, { parse: (text) => text, stringify: String })
      return isEvents(events) ? Stream.mapEffect(events, read(response)) : events
    }
  }
}
