import * as Literal from "../model/Literal.ts"
import type * as Shape from "../model/Shape.ts"
import type { Warn } from "../read/Unsupported.ts"
import * as Codec from "./Codec.ts"
import * as Layout from "./Layout.ts"
import type { Failures } from "./Refusals.ts"

export interface Context {
  readonly responses: Codec.Context
  readonly requests: Codec.Context
  readonly failures: Failures
  readonly warn: Warn
}

/** A value of the generated code, and its type. */
export interface Written {
  readonly type: Layout.Layout
  readonly code: Layout.Layout
}

export const codec = (shape: Shape.Shape, context: Codec.Context): Written => ({
  type: Layout.generic("Schema.Codec", [Codec.type(shape, context), "unknown"]),
  code: Codec.code(shape, Codec.ofBody(shape, context))
})

/** A body that keeps the digits of all integers, if its shape has some of 64 bits. */
export const exact = (code: Layout.Layout, shape: Shape.Shape, context: Codec.Context): Layout.Layout =>
  Codec.isExact(shape, context) ? Layout.call("Body.exact", [code]) : code

/** JSON of a shape, in a request or a response. What a response has is JSON, so that it needs no check. */
export const json = (shape: Shape.Shape, type: string, context: Codec.Context): Written => {
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
export const plain = (kind: "text" | "bytes" | "upload", type: string): Written => ({
  type: `Body.${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
  code: Layout.call(`Body.${kind}`, [Literal.text(type)])
})
