import * as Schema from "effect/Schema"
import { Content } from "./content.ts"

const Fields = Schema.Record(Schema.String, Schema.String)

/** A part of `multipart/form-data`. */
const Part = Schema.Struct({
  name: Schema.String,
  filename: Schema.optionalKey(Schema.String),
  contentType: Schema.optionalKey(Schema.String),
  content: Content
})

/** The parts of a request that a recording is found by. The origin is not one of them. */
export const Request = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  query: Schema.optionalKey(Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)]))),
  headers: Schema.optionalKey(Fields),
  body: Schema.optionalKey(Schema.Union([Content, Schema.Struct({ form: Schema.Array(Part) })]))
})
export type Request = typeof Request.Type

/**
 * How an attempt ended without a whole response: a reason of `HttpClientError` with its causes, outermost first, or
 * `Aborted`, when the program stopped waiting.
 */
export const Failure = Schema.Struct({
  reason: Schema.Literals([
    "Aborted",
    "TransportError",
    "EncodeError",
    "InvalidUrlError",
    "StatusCodeError",
    "DecodeError",
    "EmptyBodyError"
  ]),
  description: Schema.optionalKey(Schema.String),
  causes: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Schema.optionalKey(Schema.String),
        message: Schema.optionalKey(Schema.String),
        code: Schema.optionalKey(Schema.String),
        syscall: Schema.optionalKey(Schema.String),
        proxyOrigin: Schema.optionalKey(Schema.String)
      })
    )
  )
})
export type Failure = typeof Failure.Type

/** A response; with a failure, its body is what came before it. */
export const Response = Schema.Struct({
  status: Schema.Int,
  headers: Fields,
  body: Schema.optionalKey(Content),
  failure: Schema.optionalKey(Failure)
})
export type Response = typeof Response.Type

/** One attempt. Without a response it has a failure. */
export const Entry = Schema.Struct({
  request: Request,
  /** How long it took, with the body of its response. */
  millis: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
  response: Schema.optionalKey(Response),
  failure: Schema.optionalKey(Failure)
}).check(
  Schema.makeFilter(({ failure, response }) => failure !== undefined || response !== undefined, {
    expected: "an entry with a response or a failure"
  })
)
export type Entry = typeof Entry.Type

/** The version of the format that this module reads and writes. */
export const version = 1

/** A file of recordings, in the order in which the requests were sent. */
export const Cassette = Schema.Struct({ version: Schema.Literal(version), entries: Schema.Array(Entry) })
