import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Body from "@cloud-management/core/Body"
import * as CloudError from "@cloud-management/core/CloudError"
import * as Operation from "@cloud-management/core/Operation"
import * as Connection from "../Connection.ts"
import * as Failure from "../Failure.ts"
import * as Foreign from "../foreign.ts"
import * as Format from "../Format.ts"
import * as Input from "../input.ts"
import { unreadable } from "../unreadable.ts"
import * as Utf8 from "../utf8.ts"

/** 404: the service knows nothing at this path. */
class NotFound extends CloudError.refusal("NotFound", 404) {}
/** 409: something stands in the way. */
class Conflict extends CloudError.refusal("Conflict", 409) {}

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The most content that is sent, in bytes. */
const largest = 2 ** 28

/** The content of a file or of a pipe. */
const bytesOf = (path: string) =>
  Stream.mapError(Input.bytes(path, largest), (error) =>
    Failure.usage(`--data: ${path} ${unreadable(error)}`, "Pass @ and the path of a JSON file.")
  )

/** Reads the content from `--data`, which must be JSON. Messages do not quote it, because it can contain a secret. */
export const read = Effect.fnUntraced(function* (data: string) {
  const path = data.startsWith("@") ? data.slice(1) : undefined
  const not = (expected: string) =>
    Failure.usage(
      `--data: ${path === undefined ? "the text" : `the content of ${path}`} is not ${expected}`,
      `Pass JSON text, such as --data '{"name":"deploy"}', or @FILE.`
    )
  const text = path === undefined ? data : yield* Stream.mkString(Utf8.decode(bytesOf(path), not("UTF-8 text")))
  return Option.isSome(decodeJson(text)) ? text : yield* not("JSON")
})

/** Sends one request and prints the response. */
export const run = Effect.fnUntraced(function* (request: {
  readonly method: Operation.Method
  readonly path: `/${string}`
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly payload: string | undefined
}) {
  const { method, path, payload } = request
  const values = new Map<string, Array<string>>()
  for (const [name, value] of request.query) values.set(name, [...(values.get(name) ?? []), value])
  const operation: Operation.Any = {
    group: "request",
    name: method.toLowerCase(),
    method,
    // no variables
    path: `/${path.slice(1).replaceAll(":", "::")}`,
    summary: "A request of the user's own",
    query: Operation.query(Schema.Record(Schema.String, Schema.Array(Schema.String))),
    ...(payload !== undefined && { payload: Body.text("application/json") }),
    success: Body.text("application/json"),
    errors: [...CloudError.commonRefusals, NotFound, Conflict],
    scope: "key",
    stability: "stable"
  }
  const connection = yield* Connection.connect
  const { value } = yield* Connection.exchange(connection, operation, {
    query: Object.fromEntries(values),
    ...(payload !== undefined && { payload })
  })
  const text = String(value)
  const isJson = (yield* Format.Format) === "json"
  if (text === "") return yield* isJson ? Console.log("null") : Effect.void
  yield* Console.log(
    Option.match(decodeJson(text), {
      onSome: () => Foreign.respaced(text, isJson ? undefined : 2),
      // one JSON document, whatever the service answers
      onNone: () => (isJson ? Foreign.toJson(text) : text.split("\n").map(Foreign.clean).join("\n"))
    })
  )
})
