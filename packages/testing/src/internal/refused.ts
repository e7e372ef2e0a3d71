/** A mock's own refusals, as the operation declares them. */
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

const itemsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "Suspend":
      return itemsOf(ast.thunk())
    case "Union":
      return ast.types.flatMap(itemsOf)
    case "Arrays":
      return [...ast.elements, ...ast.rest].slice(0, 1)
    default:
      return []
  }
}

/** Whether any text fits, which is none that programs know. */
const isFree = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Union"
    ? ast.types.every((type) => type._tag === "Null" || isFree(type))
    : ast._tag === "String" && ast.checks === undefined && SchemaAST.resolve(ast)?.["examples"] === undefined

/** The same body with a text in one of its free texts, for each of these, and that place alone. */
const saying = (
  body: unknown,
  text: string,
  schemas: ReadonlyArray<SchemaAST.AST>
): ReadonlyArray<readonly [whole: unknown, alone: unknown]> => {
  if (Predicate.isString(body)) return schemas.length > 0 && schemas.every(isFree) ? [[text, text]] : []
  if (Array.isArray(body)) {
    const items: ReadonlyArray<unknown> = body
    return saying(items[0], text, schemas.flatMap(itemsOf)).map(([whole, alone]) => [
      [whole, ...items.slice(1)],
      [alone]
    ])
  }
  if (!Predicate.isObject(body)) return []
  return Object.entries(body).flatMap(([name, field]) =>
    saying(
      field,
      text,
      schemas.flatMap((ast) => fieldsOf(ast, name))
    ).map(([whole, alone]) => [{ ...body, [name]: whole }, { [name]: alone }] as const)
  )
}

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
    const body = example.success
    const read = (body: unknown) => {
      const found = rule.recognize(body, status, "", Headers.empty)
      return found === undefined || "isOurs" in found ? undefined : found
    }
    const places = saying(body, text, [Schema.toEncoded(form).ast]).flatMap(([whole, alone]) =>
      Refusal.status.recognize(alone, status, "", Headers.empty)?.message === text ? [whole] : []
    )
    const isNew = places.length === 0 && Predicate.isObject(body) && !("message" in body)
    const all = isNew ? [{ ...body, message: text }] : places
    const said = all.find((one) => read(one)?.message === text) ?? all.find((one) => read(one) !== undefined)
    return HttpServerResponse.jsonUnsafe(said ?? body, { status })
  }
  return HttpServerResponse.jsonUnsafe({ message: text }, { status })
}
