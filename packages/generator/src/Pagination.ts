import { type JsonObject, text } from "./Json.ts"
import type { Model } from "./Operations.ts"
import * as Shape from "./Shape.ts"

/** How an operation reads a list page by page. */
export type Pagination =
  | { readonly _tag: "cursor"; readonly query: string; readonly next: string; readonly items: string }
  | { readonly _tag: "offset"; readonly query: string; readonly items: string }
  | { readonly _tag: "link"; readonly items: string }

const cursors = ["cursor", "after", "pageToken", "page_token", "starting_after", "next_token", "nextToken", "continue"]
const nexts = [
  "nextCursor",
  "next_cursor",
  "next",
  "nextPageToken",
  "next_page_token",
  "nextToken",
  "next_token",
  "continue"
]

const fieldsOf = (shape: Shape.Shape, shapeOf: Shape.ShapeOf): ReadonlyArray<Shape.Field> => {
  const found = Shape.resolved(shape, shapeOf)
  return found._tag === "Struct" ? found.fields : []
}

const isTextual = (shape: Shape.Shape, shapeOf: Shape.ShapeOf): boolean => {
  const found = Shape.resolved(Shape.withoutNull(shape)[0], shapeOf)
  return (
    found._tag === "Text" || (found._tag === "Literals" && found.values.every((value) => typeof value === "string"))
  )
}

/** The path of the next cursor: in the answer itself, or one level below. */
const nextOf = (fields: ReadonlyArray<Shape.Field>, shapeOf: Shape.ShapeOf): string | undefined => {
  const named = (all: ReadonlyArray<Shape.Field>) =>
    all.find(({ name, shape }) => nexts.includes(name) && isTextual(shape, shapeOf))?.name
  const own = named(fields)
  if (own !== undefined) return own
  for (const { name, shape } of fields) {
    const inner = named(fieldsOf(Shape.withoutNull(shape)[0], shapeOf))
    if (inner !== undefined) return `${name}.${inner}`
  }
  return undefined
}

/** What the document says itself, where all of its parts are there: `Operation.make` compares it with the types. */
const declared = (node: JsonObject): Pagination | undefined => {
  const [tag, query, next, items] = ["_tag", "query", "next", "items"].map((name) => text(node, name))
  if (items === undefined) return undefined
  if (tag === "Link") return { _tag: "link", items }
  if (query === undefined) return undefined
  if (tag === "Offset") return { _tag: "offset", query, items }
  return tag === "Cursor" && next !== undefined ? { _tag: "cursor", query, next, items } : undefined
}

/**
 * The pagination of an operation: what `x-pagination` says, or else only where it fits the types of the query and of the answer: a cursor beside exactly one
 * required list, an offset beside a list, or a header `Link` beside one.
 */
export const of = ({ pagination, query, successes }: Model, shapeOf: Shape.ShapeOf): Pagination | undefined => {
  const said = declared(pagination)
  if (said !== undefined) return said
  const [success] = successes
  if (success?.shape === undefined || successes.length > 1) return undefined
  if (success.kind !== "json" && success.kind !== "envelope") return undefined
  const prefix = success.kind === "envelope" ? ["result"] : []
  const path = (...keys: ReadonlyArray<string>) => [...prefix, ...keys].join(".")
  const fields = fieldsOf(success.shape, shapeOf)
  const lists = fields.filter(
    ({ isRequired, name, shape }) =>
      isRequired && !name.includes(".") && Shape.resolved(shape, shapeOf)._tag === "Array"
  )
  const [only] = lists
  const isList = Shape.resolved(success.shape, shapeOf)._tag === "Array" && prefix.length > 0
  const items = isList ? path() : only !== undefined && lists.length === 1 ? path(only.name) : undefined
  if (items === undefined) return undefined
  const next = nextOf(fields, shapeOf)
  const cursor = query.find(({ name, shape }) => cursors.includes(name) && isTextual(shape, shapeOf))
  if (cursor !== undefined && next !== undefined) {
    return { _tag: "cursor", query: cursor.name, next: path(...next.split(".")), items }
  }
  const offset = query.find(({ name }) => name === "offset" || name === "skip")
  if (offset !== undefined) return { _tag: "offset", query: offset.name, items }
  return success.hasLink ? { _tag: "link", items } : undefined
}
