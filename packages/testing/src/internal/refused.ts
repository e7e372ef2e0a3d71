/** What a mock refuses itself, as the operation declares it. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Headers from "effect/http/Headers"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Body from "@cloud-management/client/Body"
import type * as Operation from "@cloud-management/client/Operation"
import * as Refusal from "@cloud-management/client/Refusal"
import * as Example from "./example.ts"

/** What a schema has for a field, in each alternative. */
const fieldsOf = (ast: SchemaAST.AST, name: string): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "Suspend":
      return fieldsOf(ast.thunk(), name)
    case "Union":
      return ast.types.flatMap((type) => fieldsOf(type, name))
    case "Declaration":
      return ast.typeParameters.flatMap((type) => fieldsOf(type, name))
    case "Objects":
      return ast.propertySignatures.flatMap((field) => (field.name === name ? [field.type] : []))
    default:
      return []
  }
}

/** Whether any text fits, which is none that programs know. */
const isFree = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Union"
    ? ast.types.every((type) => type._tag === "Null" || isFree(type))
    : ast._tag === "String" && ast.checks === undefined && SchemaAST.resolve(ast)?.["examples"] === undefined

/** The same body with a text, in each field of its own that can say why, and in a new one. */
const saying = (body: unknown, text: string, schema: Schema.Constraint): ReadonlyArray<unknown> => {
  if (!Predicate.isObject(body)) return Predicate.isString(body) ? [text] : []
  const { ast } = Schema.toEncoded(schema)
  const free = Refusal.textNames.filter((name) => {
    const fields = name in body ? fieldsOf(ast, name) : []
    return fields.length > 0 && fields.every(isFree)
  })
  return [...free, ...("message" in body ? [] : ["message"])].map((name) => ({ ...body, [name]: text }))
}

/** The status of a request that does not fit. */
export const statusOf = ({ errors }: Pick<Operation.Any, "errors">): number =>
  [400, 422].find((own) => errors.some(({ status }) => status === own)) ?? 400

/** A response with a text: an example of the body that the operation declares for the status, or else a `message`. */
export const make = (
  { errors }: Pick<Operation.Any, "errors">,
  status: number,
  text: string,
  seed: string
): HttpServerResponse.HttpServerResponse => {
  const ranks = [status, `${String(status)[0]}XX`, "default"]
  for (const { rule } of ranks.flatMap((rank) => errors.filter(({ status }) => status === rank))) {
    if (rule?.body === undefined) continue
    const form = Body.json(rule.body).form ?? rule.body
    const encode = Schema.encodeUnknownResult(form)
    const example = Result.flatMap(Example.make(rule.body, seed), encode)
    if (Result.isFailure(example)) continue
    const said = saying(example.success, text, form).find((body) => {
      const read = rule.recognize(body, status, "", Headers.empty)
      return read !== undefined && !("isOurs" in read)
    })
    return HttpServerResponse.jsonUnsafe(said ?? example.success, { status })
  }
  return HttpServerResponse.jsonUnsafe({ message: text }, { status })
}
