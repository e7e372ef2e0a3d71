import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as CallError from "../CallError.ts"
import type * as Operation from "../Operation.ts"
import * as Refusal from "../Refusal.ts"
import { essence } from "./content.ts"
import { Problem, type Wire, wireOf } from "./endpointSchema.ts"
import { property } from "./property.ts"

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
      .sort((one, other) => Number(one.wire.kind === "Empty") - Number(other.wire.kind === "Empty"))
      .flatMap(({ schema, wire }) => refusalsOf(status, schema, wire))
  )
