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

/** The types that a value can have. */
const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "Suspend":
      return membersOf(ast.thunk())
    case "Union":
      return ast.types.flatMap(membersOf)
    case "Declaration":
      return ast.typeParameters.length === 0 ? [ast] : ast.typeParameters.flatMap(membersOf)
    default:
      return [ast]
  }
}

/** Whether any text fits, which is none that programs know. */
const isFree = (ast: SchemaAST.AST): boolean =>
  ast._tag === "String" && ast.checks === undefined && SchemaAST.resolve(ast)?.["examples"] === undefined

/** The same body with a text in one of its free texts, for each of these, and that place alone. */
const saying = (
  body: unknown,
  text: string,
  schemas: ReadonlyArray<SchemaAST.AST>
): ReadonlyArray<readonly [whole: unknown, alone: unknown]> => {
  const members = schemas.flatMap(membersOf).filter(({ _tag }) => _tag !== "Null")
  if (Predicate.isString(body)) return members.length > 0 && members.every(isFree) ? [[text, text]] : []
  if (Array.isArray(body)) {
    const list: ReadonlyArray<unknown> = body
    const items = members.filter(SchemaAST.isArrays).flatMap(({ elements, rest }) => elements[0] ?? rest[0] ?? [])
    return saying(list[0], text, items).map(([whole, alone]) => [[whole, ...list.slice(1)], [alone]])
  }
  if (!Predicate.isObject(body)) return []
  const fields = members.filter(SchemaAST.isObjects).flatMap(({ propertySignatures }) => propertySignatures)
  return Object.entries(body).flatMap(([name, field]) => {
    const types = fields.flatMap((own) => (own.name === name ? [own.type] : []))
    return saying(field, text, types).map(([whole, alone]) => [{ ...body, [name]: whole }, { [name]: alone }] as const)
  })
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
