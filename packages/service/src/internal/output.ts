import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Operation from "@cloud-management/core/Operation"
import { strict } from "./strict.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Encodes the result of an operation, strictly. A result that does not fit its schema is a defect. */
export type Encode = (result: unknown, requestId: string) => Effect.Effect<Response>

/** Prepares the encoding of an operation's results. */
export const compile = ({ success }: Operation.Any): Encode => {
  const encode = Schema.encodeUnknownEffect(strict(success.schema))
  const encoded = (value: unknown) => Effect.orDie(encode(value))
  switch (success._tag) {
    case "Envelope":
      return (result, requestId) =>
        Effect.map(encoded({ status: 200, requestId, ...(result !== undefined && { result }) }), (envelope) =>
          HttpServerResponse.jsonUnsafe(envelope)
        )
    case "Json":
      return (result) => Effect.map(encoded(result), (json) => HttpServerResponse.jsonUnsafe(json))
    case "Text":
      return (result) => Effect.succeed(HttpServerResponse.text(String(result), { contentType: success.contentType }))
    case "Bytes":
      return (result) =>
        result instanceof Uint8Array
          ? Effect.succeed(HttpServerResponse.uint8Array(result, { contentType: success.contentType }))
          : Effect.die(new TypeError("the result is not a Uint8Array"))
    case "Empty":
      return () => Effect.succeed(HttpServerResponse.empty({ status: 204 }))
  }
}
