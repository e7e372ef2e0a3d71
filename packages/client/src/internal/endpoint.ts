import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Stream from "effect/Stream"
import * as HttpBody from "effect/http/HttpBody"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Body from "../Body.ts"
import * as CallError from "../CallError.ts"
import type * as Operation from "../Operation.ts"
import * as Refusal from "../Refusal.ts"
import { essence, type Mismatch, type Read, safeDecoder, strict } from "./content.ts"
import type { Head } from "./head.ts"
import type { Failure, OpenResponse } from "./openResponse.ts"
import { property } from "./property.ts"
import type { Sanitize } from "./redaction.ts"
import { refusedOf } from "./response.ts"

// The schemas of an endpoint of an `HttpApi`, as bodies and refusals of an operation.

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

const isStream = (schema: object): schema is HttpApiSchema.StreamSchema =>
  Predicate.hasProperty(schema, "~effect/http-api/HttpApiSchema/Stream")
const isUpgrade = (schema: object) => Predicate.hasProperty(schema, "~effect/http-api/HttpApiSchema/Upgrade")

/** A response: what it is on the wire, and how it is read. */
interface Wire {
  readonly kind: HttpApiSchema.Encoding["_tag"] | "Empty"
  readonly contentType: string
  readonly schema: Schema.Codec<never, never>
  /** Whether its value is made of more than the content. */
  readonly isMore: boolean
  readonly decode: (content: unknown, headers: Head["headers"]) => Result.Result<unknown, Mismatch>
}

const wireOf = (schema: Schema.Top): Wire => {
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

const contentOf = ({ contentType, kind, schema }: Pick<Wire, "kind" | "contentType" | "schema">) => {
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

/** A persisted file, which only a server has. */
const isPersisted = ({ annotations }: SchemaAST.AST): boolean =>
  property(annotations?.["representation"], "id") === "effect/http/PersistedFile"

/** A field of a form, with a file in place of one that a server has persisted. */
const withFiles = (ast: SchemaAST.AST): Schema.Top => {
  const field = isPersisted(ast)
    ? Body.File
    : SchemaAST.isArrays(ast) && ast.rest.some(isPersisted)
      ? Schema.Array(Body.File)
      : SchemaAST.isUnion(ast)
        ? Schema.Union(ast.types.map(withFiles))
        : undefined
  if (field === undefined) return Schema.make(ast)
  return SchemaAST.isOptional(ast) ? Schema.optionalKey(field) : field
}

const isForm = (value: unknown): value is FormData => value instanceof FormData

const multipartOf = ({ ast }: Schema.Top): Body.SinglePayload => {
  // of a class, its fields
  const [struct = ast] = SchemaAST.isDeclaration(ast) ? ast.typeParameters : []
  if (!SchemaAST.isObjects(struct)) throw new Problem("payload-type", "a form that is not a struct: declare its fields")
  const fields = struct.propertySignatures.map(({ name, type }) => [String(name), withFiles(type)] as const)
  const form = Body.multipart(codecOf(Schema.Struct(Object.fromEntries(fields))))
  const { write } = form
  return Object.assign(form, {
    write: ((value) => (isForm(value) ? Result.succeed(HttpBody.formData(value)) : write(value))) satisfies typeof write
  })
}

const payload = (schema: Schema.Top): Body.SinglePayload => {
  if (isStream(schema)) {
    if (schema._tag === "StreamUint8Array") return Body.upload(schema.contentType)
    const what = "the client sends streams of bytes only: declare StreamUint8Array, and send the encoded lines"
    throw new Problem("payload-type", what)
  }
  const wire = wireOf(schema)
  switch (wire.kind) {
    case "Multipart":
      return multipartOf(schema)
    case "FormUrlEncoded":
      return Body.form(wire.schema)
  }
  const content = contentOf(wire)
  if (content === undefined) throw new Problem("payload-type", `the client does not send ${wire.contentType}`)
  return content
}

/** The payload that a call can have, or the first of several that a value fits. */
export const payloadOf = (schemas: ReadonlyArray<Schema.Top>): Body.Payload | undefined => {
  const payloads = schemas.filter(({ ast }) => !HttpApiSchema.isNoContent(ast)).map(payload)
  const [first] = payloads
  if (first === undefined) return undefined
  const all = payloads.length === 1 ? first : anyPayload(payloads)
  return payloads.length < schemas.length ? Body.optional(all) : all
}

function anyPayload(payloads: ReadonlyArray<Body.SinglePayload>): Body.Payload
// the schema is that of the payloads themselves, and not of what names one of them
function anyPayload(payloads: ReadonlyArray<Body.SinglePayload>): object {
  return {
    ...Body.choice(...payloads),
    schema: Schema.Union(payloads.map(({ schema }) => schema)),
    write: (value: unknown) => {
      const fitting = payloads.filter(({ _tag }) => _tag === "Multipart" || !isForm(value))
      const written = fitting.map(
        ({ write }) =>
          () =>
            write(value)
      )
      let result = written[0]?.()
      for (const next of written.slice(1)) {
        if (result && Result.isSuccess(result)) break
        result = next()
      }
      return result
    }
  }
}

const success = (status: number, wire: Wire): Body.SingleSuccess & { readonly status: number } => {
  const body = wire.kind === "Empty" ? Body.empty : contentOf(wire)
  if (body === undefined) {
    throw new Problem("success-type", `the client does not read ${wire.contentType}: use HttpApiClient here`)
  }
  return Body.status(status, wire.isMore ? decoded(body, wire) : body)
}

/** A body that is decoded as it is read, since its value is made of more than the content. */
function decoded(body: Body.SingleSuccess, wire: Wire): Body.SingleSuccess
function decoded(body: Body.SingleSuccess, { decode, kind }: Wire): object {
  const value = (content: unknown, { headers }: Head, sanitize: Sanitize) =>
    Result.mapError(decode(content, headers), mismatch(sanitize))
  const read: Read = (bytes, head, sanitize) =>
    Result.flatMap(body.read(bytes, head, sanitize), (content) => value(content, head, sanitize))
  const readHead: Body.Empty["readHead"] = (head, sanitize) => value(undefined, head, sanitize)
  return {
    ...body,
    schema: Schema.Unknown,
    form: undefined,
    read,
    readHead: kind === "Empty" ? readHead : undefined,
    deletedValue: undefined
  }
}

/** The end of a sentence that begins with "the body". */
const mismatch =
  (sanitize: Sanitize) =>
  ({ isOurs, message }: Mismatch) =>
    `does not match its schema: ${sanitize(message, isOurs)}`

function anySuccess(all: ReadonlyArray<readonly [status: number, wire: Wire]>): Body.Success
// its values are those of the successes themselves, without their status
function anySuccess(all: ReadonlyArray<readonly [status: number, wire: Wire]>): object {
  const bodies = all.map(([status, wire]) => ({ ...success(status, wire), wire }))
  const read: Read = (bytes, head, sanitize) => {
    const declared = bodies.filter(({ status }) => status === head.status)
    const type = essence(head.headers["content-type"])
    const named = declared.filter(({ wire }) =>
      bytes.length === 0 ? wire.kind === "Empty" : essence(wire.contentType) === type && wire.kind !== "Empty"
    )
    const results = (named.length > 0 ? named : declared).map(({ wire }) => {
      const content = contentOf(wire)?.read(bytes, head, sanitize) ?? Result.succeed(undefined)
      return Result.flatMap(content, (content) =>
        Result.mapError(wire.decode(content, head.headers), mismatch(sanitize))
      )
    })
    return (
      results.find(Result.isSuccess) ??
      results[0] ??
      Result.fail(`has the status ${head.status}, which the operation does not declare`)
    )
  }
  const { accept, takes } = Body.oneOf(...bodies)
  return { _tag: "OneOf", schema: Schema.Unknown, bodies, accept, takes, read }
}

/** The streams of an endpoint are in its schemas alone. */
export const successOf = (
  { success: schemas }: Pick<HttpApiEndpoint.Top, "success">,
  successes: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
): Body.Success => {
  for (const schema of schemas) {
    if (isUpgrade(schema))
      throw new Problem("upgrade", "the client does not upgrade connections: use HttpApiClient for this endpoint")
    const inner = HttpApiSchema.isWithHeaders(schema) ? schema.schema : schema
    if (!isStream(inner)) continue
    if (inner !== schema)
      throw new Problem("success-type", "a stream with headers: declare the stream alone; exchange gives all headers")
    if (schemas.size > 1) {
      const how = "make an operation for each with Operation.make and Body.stream, Body.jsonLines or Body.events"
      throw new Problem("success-type", `a stream beside another success: ${how}`)
    }
    return streamOf(inner)
  }
  const all = Array.from(successes, ([status, schemas]) =>
    schemas.map((schema) => [status, wireOf(schema)] as const)
  ).flat()
  const [first] = all
  if (first === undefined) return Body.empty
  return all.length === 1 ? success(...first) : anySuccess(all)
}

const streamOf = (schema: HttpApiSchema.StreamSchema): Body.Streaming<unknown> => {
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

/** The tags that the values of a schema have; `undefined` stands for those without one. */
const tagsOf = (ast: SchemaAST.AST): ReadonlyArray<string | undefined> => {
  if (SchemaAST.isUnion(ast)) return [...new Set(ast.types.flatMap(tagsOf))]
  if (SchemaAST.isSuspend(ast)) return tagsOf(ast.thunk())
  // a class has its fields
  if (SchemaAST.isDeclaration(ast)) return ast.typeParameters[0] ? tagsOf(ast.typeParameters[0]) : [undefined]
  const tag = SchemaAST.isObjects(ast) ? ast.propertySignatures.find(({ name }) => name === "_tag")?.type : undefined
  return (tag && SchemaAST.isUnion(tag) ? tag.types : [tag]).map((type) =>
    type && SchemaAST.isLiteral(type) && Predicate.isString(type.literal) ? type.literal : undefined
  )
}

/** The refusals of one error: one for each tag that it can have. */
const refusalsOf = (status: number, schema: Schema.Top, wire: Wire): Operation.Any["errors"] => {
  const { contentType, decode, kind } = wire
  if (kind !== "Json" && kind !== "Text" && kind !== "Empty")
    throw new Problem("error-type", `the client reads errors that are JSON or text, and not ${contentType}`)
  const isPair = HttpApiSchema.isWithHeaders(schema)
  const tags = tagsOf(SchemaAST.toType(isPair ? schema.schema.ast : schema.ast))
  const base = kind === "Json" ? Refusal.body(Schema.Unknown) : Refusal.status
  return tags.map((tag) =>
    CallError.refusal(tag ?? `Status${status}`, status, {
      body: wire.schema,
      ...(kind !== "Json" && { isVague: true }),
      recognize: (json, status, text, headers) => {
        if (kind === "Text" && essence(headers["content-type"]) !== essence(contentType)) return undefined
        const found = base.recognize(json, status, text, headers)
        if (found === undefined || "isOurs" in found) return found
        const decoded = decode(kind === "Json" ? json : text, headers)
        if (Result.isFailure(decoded)) return decoded.failure
        const body = decoded.success
        const own = property(isPair ? property(body, "body") : body, "_tag")
        return tags.length > 1 && own !== tag ? undefined : { ...found, body }
      }
    })
  )
}

/** The refusals of an endpoint; of those with one status, one without content comes last, since it takes any. */
export const errorsOf = (errors: ReadonlyMap<number, ReadonlyArray<Schema.Top>>): Operation.Any["errors"] =>
  [...errors].flatMap(([status, schemas]) =>
    schemas
      .map((schema) => ({ schema, wire: wireOf(schema) }))
      .toSorted((one, other) => Number(one.wire.kind === "Empty") - Number(other.wire.kind === "Empty"))
      .flatMap(({ schema, wire }) => refusalsOf(status, schema, wire))
  )

/** The path in the client's syntax, in which what is no variable has a colon twice, as Effect's router sees it. */
export const pathOf = (path: string, params: Schema.Top | undefined): `/${string}` => {
  const names = params === undefined ? undefined : fieldsOf(params)
  const isDeclared = (name: string) => names === undefined || names.has(name)
  for (const [, name = "", after = ""] of path.replaceAll("::", "").matchAll(/:(\w+)(.?)/g)) {
    if (!isDeclared(name)) continue
    if (names === undefined) throw new Problem("path", `the path has :${name}, which params lacks: declare it`)
    if (after === "?")
      throw new Problem("path", `:${name}? can be absent: declare an endpoint with :${name}, and one without`)
    if (after === "(")
      throw new Problem(
        "path",
        `:${name}(…) has a pattern: put it into the schema of ${name}, and leave it out of the path`
      )
    if (["query", "headers", "payload"].includes(name))
      throw new Problem("variable", `:${name} is the name of another part of the input: call the variable otherwise`)
  }
  if (!path.startsWith("/") || path.endsWith("*"))
    throw new Problem("path", `the path ${path} has a wildcard: declare an endpoint whose path has variables`)
  const literal = path.replace(/(::)|:(\w+)?/g, (all, colon: string | undefined, name: string = "") =>
    colon === undefined && !(name !== "" && isDeclared(name)) ? `:${all}` : all
  )
  return `/${literal.slice(1)}`
}
