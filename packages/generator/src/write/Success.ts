import * as Literal from "../model/Literal.ts"
import * as Shape from "../model/Shape.ts"
import type { Success } from "../model/Success.ts"
import * as Codec from "./Codec.ts"
import * as Layout from "./Layout.ts"
import { codec, type Context, exact, json, plain, type Written } from "./Written.ts"

const successOf = ({ kind, others = [], shape, status, type }: Success, { responses }: Context): Written => {
  const media = Literal.text(type)
  switch (kind) {
    case "json":
      return json(shape ?? Shape.json, type, responses)
    case "envelope": {
      if (shape === undefined) return { type: "typeof Envelope.withoutResult", code: "Envelope.withoutResult" }
      const schema = codec(shape, responses)
      return {
        type: [Layout.generic("ReturnType", [Layout.generic("typeof Envelope.withJson", [schema.type])])],
        code: exact(Layout.call("Envelope.withJson", [schema.code]), shape, responses)
      }
    }
    case "text":
    case "bytes":
      return plain(kind, type)
    case "events":
    case "lines": {
      const item = shape ?? Shape.json
      const type = Codec.type(item, responses)
      const name = kind === "events" ? "Body.events" : "Body.jsonLines"
      const other = kind === "events" || media === Literal.text("application/x-ndjson") ? [] : [media]
      return {
        type: Layout.generic("Body.Streaming", [
          kind === "events" ? Layout.generic("Body.ServerSentEvent", [type]) : type
        ]),
        code: exact(Layout.call(name, [codec(item, responses).code, ...other]), item, responses)
      }
    }
    case "stream":
      return { type: "Body.Streaming<Uint8Array>", code: `Body.stream(${media})` }
    case "redirect":
      return { type: `Body.Redirect<${status}>`, code: Layout.call("Body.redirect", [String(status), ...others]) }
    case "empty":
      return { type: "Body.Empty", code: "Body.empty" }
  }
}

/** A success with its status, where that is not the one of its kind. */
const withStatus = ({ code, type }: Written, status: number): Written => ({
  type: [type, " & ", Layout.members([{ code: `readonly status: ${status}` }])],
  code: Layout.call("Body.status", [String(status), code])
})

export const successes = (all: ReadonlyArray<Success>, context: Context): Written => {
  const [only] = all
  if (only !== undefined && all.length === 1) {
    const written = successOf(only, context)
    const isUsual = only.status === undefined || only.status === (only.kind === "empty" ? 204 : 200)
    const isStream = only.kind === "events" || only.kind === "lines" || only.kind === "stream"
    return isUsual || isStream || only.kind === "redirect" ? written : withStatus(written, only.status)
  }
  const written = all.map((success) => withStatus(successOf(success, context), success.status ?? 200))
  return {
    type: Layout.generic("Body.OneOf", [["readonly ", Layout.array(written.map(({ type }) => type))]]),
    code: Layout.call(
      "Body.oneOf",
      written.map(({ code }) => code)
    )
  }
}
