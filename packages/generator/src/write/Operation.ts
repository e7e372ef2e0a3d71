import type { Named } from "../compare/Naming.ts"
import * as Comment from "../model/Comment.ts"
import * as Literal from "../model/Literal.ts"
import * as Names from "../model/Names.ts"
import type { OperationModel } from "../model/OperationModel.ts"
import * as PaginationModel from "../model/PaginationModel.ts"
import { payload, successes } from "./Body.ts"
import type * as Codec from "./Codec.ts"
import * as Constant from "./Constant.ts"
import { fields } from "./Fields.ts"
import * as Layout from "./Layout.ts"

/** An operation: its type, which declaration files need, and its value; its comment, and how it reads a list. */
export const operation = (
  model: OperationModel,
  { group, name }: Named,
  refusals: ReadonlyArray<string>,
  sides: Codec.Sides
) => {
  const { constant, type } = Names.ofOperation(name)
  const types: Array<Layout.Layout> = []
  const codes: Array<Layout.Layout> = []
  const put = (key: string, written: Codec.Written) => {
    types.push([`readonly ${key}: `, written.type])
    codes.push([`${key}: `, written.code])
  }
  const putLiteral = (key: string, value: string) => put(key, { type: Literal.text(value), code: Literal.text(value) })
  putLiteral("id", model.id)
  putLiteral("group", group)
  putLiteral("name", name)
  putLiteral("method", model.method)
  putLiteral("path", model.path)
  codes.push("api")
  if (model.summary !== undefined) codes.push(["summary: ", Literal.text(model.summary)])
  if (model.isDeprecated) codes.push("deprecated: true")
  if (model.isBeta) codes.push(`annotations: { stability: "beta" }`)
  if (model.renamed.size > 0) {
    const names = Array.from(model.renamed, ([from, to]) => `${Literal.key(from)}: ${Literal.text(to)}`)
    codes.push(["names: ", Layout.object([["params: ", Layout.object(names)]])])
  }
  if (model.params.length > 0) {
    const { args, schema } = fields(model.params, "path", sides.requests)
    put("params", { type: schema, code: args[0] ?? "" })
  }
  if (model.query.length > 0) {
    const { args, schema } = fields(model.query, "query", sides.requests)
    put("query", { type: Layout.generic("Operation.Query", [schema]), code: Layout.call("Operation.query", args) })
  }
  if (model.headers.length + model.cookies.length > 0) {
    const { args, schema } = fields(model.headers, "header", sides.requests, model)
    put("headers", {
      type: Layout.generic("Operation.Headers", [schema]),
      code: Layout.call("Operation.headers", args.slice(0, 1))
    })
  }
  if (model.payload !== undefined) put("payload", payload(model.payload, sides))
  put("success", successes(model.successes, sides))
  const failures = refusals.map((refusal) => `R.${refusal}`)
  put("errors", {
    type: ["readonly ", Layout.array(failures.map((failure) => `typeof ${failure}`))],
    code: Layout.array(failures)
  })
  const { idempotencyKey, security } = model
  if (idempotencyKey !== undefined) {
    const { format, header } = idempotencyKey
    const isUsual = format === "uuid" && header === "idempotency-key"
    const args = [header, ...(format === "uuid" ? [] : [format])].map(Literal.text)
    const code = `Operation.idempotencyKey(${isUsual ? "" : args.join(", ")})`
    put("repeat", { type: "Operation.IdempotencyKey", code })
  }
  const pagination = PaginationModel.of(model, sides)
  if (pagination !== undefined) {
    const entries = Object.entries(pagination.options).map(
      ([key, value]) => `${key}: ${typeof value === "number" ? value : Literal.text(value)}`
    )
    const literals = entries.map((entry) => `readonly ${entry}`)
    put("pagination", {
      type: Layout.members([
        `readonly _tag: "${PaginationModel.tagOf(pagination)}"`,
        "readonly reader: Operation.Reader",
        ...literals
      ]),
      code: Layout.call(`Operation.${pagination.form}`, [Layout.object(entries)])
    })
  }
  if (security !== undefined) {
    const alternatives = security.map((all) => Layout.array(all.map(Literal.text)))
    codes.push(["security: ", Layout.array(alternatives)])
  }
  // as formatters break it
  const isLong = `export interface ${type} extends Operation.Declared<${type}, Methods> {`.length > 120
  const declared = Layout.render([
    `export interface ${type} extends Operation.Declared<${isLong ? `\n  ${type},\n  Methods\n` : `${type}, Methods`}> `,
    Layout.body(types)
  ])
  const comment = Comment.and(model.comment, pagination?.comment ?? [])
  const value = Constant.operation(
    `${constant === name ? "export " : ""}const ${constant}: ${type}`,
    Layout.object(codes)
  )
  const exported = constant === name ? "" : `export { ${constant} as ${name} }\n`
  const code = `/** The type of {@link ${constant}}. */\n${declared}\n\n${Comment.render(comment, "")}${value}${exported}`
  return { code, comment, pagination }
}

/** The methods of a group, of any client, as an editor shows them. */
export const methods = (
  members: ReadonlyArray<{ readonly named: Named; readonly comment: ReadonlyArray<string> }>
): string => {
  const all = members.map(({ comment, named: { name } }) => {
    const { type } = Names.ofOperation(name)
    const input = `...input: Operation.Parameters<this, ${type}>`
    const end = `): Operation.Returned<this, ${type}>`
    const isLong = `  ${name}(${input}${end}`.length > 120
    return { comment, code: isLong ? `${name}(\n    ${input}\n  ${end}` : `${name}(${input}${end}` }
  })
  const body = Layout.render(["export interface Methods extends Operation.Methods ", Layout.body(all)])
  return `/** The methods of a client for these operations. */\n${body}\n`
}
