import type * as Schema from "effect/Schema"
import type * as Content from "./content.ts"
import type * as Fields from "./fields.ts"
import type { Form, Multipart, Part } from "./forms.ts"
import type { Streaming } from "./streaming.ts"
import type { Upload } from "./upload.ts"

/**
 * JSON (RFC 8259) of one schema.
 */
export interface Json<out S extends Schema.Codec<unknown, unknown>> extends JsonResponse<S>, Content.Writable {}

/**
 * JSON that is only read.
 */
export interface JsonResponse<out S extends Schema.Codec<unknown, unknown>>
  extends Content.Body<"Json", S>, Content.Readable {
  readonly contentType: string
}

/**
 * JSON whose result is in an envelope; the module `Envelope` creates it.
 */
export interface Envelope<out S extends Schema.Codec<unknown, unknown>>
  extends Content.Body<"Envelope", S>, Content.Readable {}

/**
 * Text.
 */
export interface Text extends Content.Body<"Text", Schema.String>, Content.Writable, Content.Readable {
  readonly contentType: string
}

/**
 * Bytes, unchanged.
 */
export interface Bytes extends Content.Body<"Bytes", Schema.Uint8Array>, Content.Writable, Content.Readable {
  readonly contentType: string
}

/**
 * No content.
 */
export interface Empty extends Content.Body<"Empty", Schema.Void>, Content.Readable {}

/**
 * A redirect, of which only the target is read.
 */
export interface Redirect<out Status extends number = number>
  extends Content.Body<"Redirect", Schema.String>, Content.Readable {
  readonly status: Status
}

/**
 * A body for each of several statuses, or media types.
 */
export interface OneOf<out Bodies extends ReadonlyArray<Alternative>>
  extends Content.Body<"OneOf", Schema.Codec<Succeeded<Bodies[number]>, unknown>>, Content.Readable {
  readonly bodies: Bodies
}

/**
 * One of several successes, with its status.
 */
export type Alternative = (SingleSuccess | Streaming<unknown>) & { readonly status: number }

/** A success by its status. */
type Succeeded<One extends Alternative> = One extends unknown
  ? { readonly status: One["status"]; readonly value: One["schema"]["Type"] }
  : never

/**
 * One of several payloads, by its media type.
 */
export interface Choice<out Payloads extends ReadonlyArray<SinglePayload>>
  extends Content.Body<"Choice", Schema.Codec<Chosen<Payloads[number]>, unknown>>, Content.Writable {
  readonly payloads: Payloads
}

/**
 * The kinds of content of one payload.
 */
export type SinglePayload =
  | Json<Schema.Codec<unknown, unknown>>
  | Form<Schema.Codec<unknown, Fields.Fields>>
  | Multipart<Schema.Codec<unknown, { readonly [name: string]: Part | ReadonlyArray<Part> | undefined }>>
  | Text
  | Bytes
  | Upload

/** A payload by its media type. */
type Chosen<One extends SinglePayload> = One extends unknown
  ? { readonly contentType: One["contentType"]; readonly value: One["schema"]["Type"] }
  : never

/**
 * The kinds of content that a request can have.
 */
export type Payload = SinglePayload | Choice<ReadonlyArray<SinglePayload>>

/**
 * The kinds of content of one success, of which an operation can have several.
 */
export type SingleSuccess =
  | Envelope<Schema.Codec<{ readonly requestId?: string }, unknown>>
  | JsonResponse<Schema.Codec<unknown, unknown>>
  | Text
  | Bytes
  | Empty

/**
 * The kinds of content that a success can have.
 */
export type Success = SingleSuccess | Redirect | Streaming<unknown> | OneOf<ReadonlyArray<Alternative>>
