import * as Schema from "effect/Schema"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Operation from "@cloud-management/core/Operation"
import * as Strict from "./strict.ts"

const strict = Strict.make()

type Response = HttpServerResponse.HttpServerResponse

/** Encodes the result of an operation. It throws if the result does not fit its schema, which is a defect. */
export type Encode = (result: unknown, requestId: string) => Response

/** Prepares the encoding of an operation's results: strict, so that they have every field, unless it is `lenient`. */
export const compile = ({ success }: Operation.Any, lenient = false): Encode => {
  const encode = Schema.encodeUnknownSync(lenient ? success.schema : strict(success.schema))
  switch (success._tag) {
    case "Envelope":
      return (result, requestId) =>
        HttpServerResponse.jsonUnsafe(
          encode(result === undefined ? { status: 200, requestId } : { status: 200, requestId, result })
        )
    case "Json":
      return (result) => HttpServerResponse.jsonUnsafe(encode(result))
    case "Text":
      return (result) => HttpServerResponse.text(String(result), { contentType: success.contentType })
    case "Bytes":
      return (result) => {
        if (result instanceof Uint8Array)
          return HttpServerResponse.uint8Array(result, { contentType: success.contentType })
        throw new TypeError("the result is not a Uint8Array")
      }
    case "Empty":
      return () => HttpServerResponse.empty({ status: 204 })
  }
}
