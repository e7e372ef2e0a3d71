import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Body from "../Body.ts"
import { type Mismatch, safeDecoder, strict } from "./content.ts"
import type { Head } from "./head.ts"

// One schema of an endpoint, as it is on the wire.

/** Why an endpoint is unsupported: the same code for the same cause. */
export type Code =
  | "method"
  | "path"
  | "variable"
  | "headers"
  | "payload-type"
  | "success-type"
  | "error-type"
  | "upgrade"

export class Problem extends Error {
  readonly code: Code
  constructor(code: Code, message: string) {
    super(message)
    this.code = code
  }
}

/** The endpoint's types say what a schema decodes and encodes. */
const isCodec = (value: unknown): value is Schema.Codec<never, never> => Schema.isSchema(value)

export const codecOf = (schema: unknown): Schema.Codec<never, never> => {
  if (isCodec(schema)) return schema
  throw new TypeError("an endpoint has a part that is not a schema")
}

/** The names of a schema's fields on the wire, and whether they are required. */
export const fieldsOf = (schema: Schema.Top): ReadonlyMap<string, boolean> => {
  const ast = SchemaAST.toEncoded(schema.ast)
  return new Map(
    SchemaAST.isObjects(ast)
      ? ast.propertySignatures.map(({ name, type }) => [String(name), !SchemaAST.isOptional(type)])
      : []
  )
}

const encodingOf = SchemaAST.resolveAt<HttpApiSchema.Encoding>("~httpApiEncoding")
/** The annotation of `HttpApiSchema.encodeToWithHeaders`. */
const annotationOf = SchemaAST.resolveAt<{
  readonly bodyCodec: Schema.Top
  readonly headersCodec: Schema.Top
  readonly transformation: { readonly decode: (pair: { readonly body: unknown; readonly headers: unknown }) => unknown }
}>("~httpApiWithHeaders")

/** A response: what it is on the wire, and how it is read. */
export interface Wire {
  readonly kind: HttpApiSchema.Encoding["_tag"] | "Empty"
  readonly contentType: string
  readonly schema: Schema.Codec<never, never>
  /** Whether its value is made of more than the content. */
  readonly isMore: boolean
  readonly decode: (content: unknown, headers: Head["headers"]) => Result.Result<unknown, Mismatch>
}

export const wireOf = (schema: Schema.Top): Wire => {
  const annotation = annotationOf(schema.ast)
  const isPair = HttpApiSchema.isWithHeaders(schema)
  const content = isPair ? schema.schema : (annotation?.bodyCodec ?? schema)
  const headers = isPair ? schema.headers : annotation?.headersCodec
  const json = { _tag: "Json", contentType: "application/json" } as const
  const { _tag, contentType } = encodingOf(schema.ast) ?? encodingOf(content.ast) ?? json
  const isEmpty = HttpApiSchema.isNoContent(content.ast)
  // what a codec of JSON has for nothing
  const nothing = SchemaAST.isNull(SchemaAST.toEncoded(content.ast)) ? null : undefined
  const decodeContent = safeDecoder<unknown>(codecOf(content))
  const decode = (content: unknown) => decodeContent(isEmpty ? nothing : content)
  const wire = { kind: isEmpty ? "Empty" : _tag, contentType, schema: codecOf(content) } as const
  if (headers === undefined)
    return { ...wire, decode, isMore: isEmpty && !SchemaAST.isVoid(SchemaAST.toType(content.ast)) }
  const names = Array.from(fieldsOf(headers).keys())
  const decodeHeaders = safeDecoder<unknown>(codecOf(headers))
  const pair = annotation?.transformation.decode ?? HttpApiSchema.withHeaders
  return {
    ...wire,
    isMore: true,
    decode: (content, received) => {
      // in the letter case of the schema
      const named = names.flatMap((name) => {
        const value = received[name.toLowerCase()]
        return value === undefined ? [] : [[name, value] as const]
      })
      return Result.flatMap(decode(content), (body) =>
        Result.map(decodeHeaders(Object.fromEntries(named)), (headers) => pair({ body, headers }))
      )
    }
  }
}

/** A body with the schema of an endpoint in place of its own, whose encoded side it is. */
function withSchema<B extends Body.SinglePayload | Body.SingleSuccess>(body: B, schema: Schema.Codec<never, never>): B
function withSchema(body: Body.SinglePayload | Body.SingleSuccess, schema: Schema.Codec<never, never>): object {
  const encode = Schema.encodeUnknownResult(schema)
  return {
    ...body,
    schema,
    ...("write" in body && {
      write: (value: unknown) => Result.flatMap(encode(value, strict), (own) => body.write(own))
    })
  }
}

export const contentOf = ({ contentType, kind, schema }: Pick<Wire, "kind" | "contentType" | "schema">) => {
  switch (kind) {
    case "Json":
      return Body.json(schema, contentType)
    case "Text":
      return withSchema(Body.text(contentType), schema)
    case "Uint8Array":
      return withSchema(Body.bytes(contentType), schema)
  }
  return undefined
}
