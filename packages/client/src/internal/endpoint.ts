import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as HttpBody from "effect/http/HttpBody"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Body from "../Body.ts"
import { essence, type Read, type Write } from "./content.ts"
import { codecOf, contentOf, fieldsOf, Problem, type Wire, wireOf } from "./endpointSchema.ts"
import { streamOf } from "./endpointStream.ts"
import type { Head } from "./head.ts"
import { property } from "./property.ts"
import type { Sanitize } from "./redaction.ts"

// The schemas of an endpoint of an `HttpApi`, as bodies and refusals of an operation.

const isStream = (schema: object): schema is HttpApiSchema.StreamSchema =>
  Predicate.hasProperty(schema, "~effect/http-api/HttpApiSchema/Stream")
const isUpgrade = (schema: object) => Predicate.hasProperty(schema, "~effect/http-api/HttpApiSchema/Upgrade")

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
    hold: payloads.find(({ hold }) => hold !== undefined)?.hold,
    write: (value: unknown) => {
      let result: ReturnType<Write<unknown>> = Result.fail({ message: "Expected no FormData" })
      for (const { _tag, write } of payloads) {
        // another kind would take it for an object without fields
        if (isForm(value) && _tag !== "Multipart") continue
        result = write(value)
        if (Result.isSuccess(result)) break
      }
      return result
    }
  }
}

const bodyOf = (wire: Wire): Body.SingleSuccess => {
  const body = wire.kind === "Empty" ? Body.empty : contentOf(wire)
  if (body !== undefined) return body
  throw new Problem("success-type", `the client does not read ${wire.contentType}: use HttpApiClient here`)
}

const success = (status: number, wire: Wire): Body.SingleSuccess & { readonly status: number } =>
  Body.status(status, wire.isMore ? decoded(wire) : bodyOf(wire))

/** A body that is decoded as it is read, since its value is made of more than the content. */
function decoded(wire: Wire): Body.SingleSuccess
function decoded(wire: Wire): object {
  const { decode, kind } = wire
  const body = bodyOf(wire)
  const value = (content: unknown, { headers }: Head, sanitize: Sanitize) =>
    Result.mapError(
      decode(content, headers),
      ({ isOurs, message }) => `does not match its schema: ${sanitize(message, isOurs)}`
    )
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

function anySuccess(all: ReadonlyArray<readonly [status: number, wire: Wire]>): Body.Success
// its values are those of the successes themselves, without their status
function anySuccess(all: ReadonlyArray<readonly [status: number, wire: Wire]>): object {
  const bodies = all.map(([status, wire]) => ({ ...success(status, wire), wire, read: decoded(wire).read }))
  const one = Body.oneOf(...bodies)
  const read: Read = (bytes, head, sanitize) => {
    const declared = bodies.filter(({ status }) => status === head.status)
    const type = essence(head.headers["content-type"])
    const named = declared.filter(({ wire }) =>
      bytes.length === 0 ? wire.kind === "Empty" : essence(wire.contentType) === type && wire.kind !== "Empty"
    )
    const results = (named.length > 0 ? named : declared).map(({ read }) => read(bytes, head, sanitize))
    return results.find(Result.isSuccess) ?? results[0] ?? one.read(bytes, head, sanitize)
  }
  const { accept, takes } = one
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
