/** The bodies of an operation: of its request, and of its successes. */
import * as Literal from "../model/Literal.ts"
import type { Content, Payload } from "../model/Payload.ts"
import * as Shape from "../model/Shape.ts"
import type { Success } from "../model/Success.ts"
import * as Codec from "./Codec.ts"
import { form } from "./Form.ts"
import * as Layout from "./Layout.ts"

/** A body that keeps the digits of all integers, if its shape has some of 64 bits. */
const exact = (code: Layout.Layout, shape: Shape.Shape, context: Codec.Context): Layout.Layout =>
  Codec.isExact(shape, context) ? Layout.call("Body.exact", [code]) : code

const codec = (shape: Shape.Shape, context: Codec.Context): Codec.Written => {
  const { code, type } = Codec.ofBody(shape, context)
  return { type: Layout.generic("Schema.Codec", [type, "unknown"]), code }
}

/** JSON of a shape. What a response has is JSON, so that it needs no check. */
const json = (shape: Shape.Shape, type: string, context: Codec.Context): Codec.Written => {
  const schema = codec(shape, context)
  const media = type === "application/json" ? [] : [Literal.text(type)]
  const isRead = context.side === "response" && !Codec.isExact(shape, context)
  const code = Layout.call(isRead ? "Body.jsonResponse" : "Body.json", [schema.code, ...media])
  return {
    type: Layout.generic(isRead ? "Body.JsonResponse" : "Body.Json", [schema.type]),
    code: exact(code, shape, context)
  }
}

/** A body without a schema. */
const plain = (kind: "text" | "bytes" | "upload", type: string): Codec.Written => ({
  type: `Body.${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
  code: Layout.call(`Body.${kind}`, [Literal.text(type)])
})

/** One of several bodies. */
const oneOf = (type: string, name: string, all: ReadonlyArray<Codec.Written>): Codec.Written => ({
  type: Layout.generic(type, [["readonly ", Layout.array(all.map(({ type }) => type))]]),
  code: Layout.call(
    name,
    all.map(({ code }) => code)
  )
})

/** A body, and a property of its own that its type has. */
const having = ({ type }: Codec.Written, property: string, code: Layout.Layout): Codec.Written => ({
  type: [type, " & ", Layout.members([`readonly ${property}`])],
  code
})

export const payload = ({ contents, isOptional }: Payload, sides: Codec.Sides): Codec.Written => {
  const all = contents.map((content) => contentOf(content, sides))
  const [first] = all
  const written = first !== undefined && all.length === 1 ? first : oneOf("Body.Choice", "Body.choice", all)
  return isOptional ? having(written, "optional: true", Layout.call("Body.optional", [written.code])) : written
}

const contentOf = (content: Content, sides: Codec.Sides): Codec.Written => {
  switch (content.kind) {
    case "json":
      return json(content.shape, content.type, sides.requests)
    case "text":
    case "bytes":
    case "upload":
      return plain(content.kind, content.type)
    case "form":
    case "multipart":
      return form(content, sides)
  }
}

export const successes = (all: ReadonlyArray<Success>, sides: Codec.Sides): Codec.Written => {
  const [only] = all
  if (only === undefined || all.length > 1) {
    const written = all.map((success) => withStatus(successOf(success, sides), success.status ?? 200))
    return oneOf("Body.OneOf", "Body.oneOf", written)
  }
  const written = successOf(only, sides)
  const isUsual = only.status === undefined || only.status === (only.kind === "empty" ? 204 : 200)
  const isOwn = ["events", "lines", "stream", "redirect"].includes(only.kind)
  return isUsual || isOwn ? written : withStatus(written, only.status)
}

/** A success with its status, where that is not the one of its kind. */
const withStatus = (written: Codec.Written, status: number) =>
  having(written, `status: ${status}`, Layout.call("Body.status", [String(status), written.code]))

const successOf = ({ kind, others = [], shape, status, type }: Success, { responses }: Codec.Sides): Codec.Written => {
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
      const isEvents = kind === "events"
      const item = shape ?? Shape.json
      const { code, type: given } = Codec.ofBody(item, responses)
      const other = isEvents || type === "application/x-ndjson" ? [] : [media]
      return {
        type: Layout.generic("Body.Streaming", [isEvents ? Layout.generic("Body.ServerSentEvent", [given]) : given]),
        code: exact(Layout.call(isEvents ? "Body.events" : "Body.jsonLines", [code, ...other]), item, responses)
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
