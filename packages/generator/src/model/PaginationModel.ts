import * as Predicate from "effect/Predicate"
import { isObject, pointer } from "../read/Json.ts"
import type { OperationModel } from "./OperationModel.ts"
import type { Parameter } from "./Parameter.ts"
import { attempt, Unsupported, unsupported } from "../read/Unsupported.ts"
import * as Shape from "./Shape.ts"

/** How an operation reads a list page by page: a form of `Operation`, with its options. */
export interface PaginationModel {
  readonly form: keyof typeof forms
  readonly options: Readonly<Record<string, string | number>>
  /** Its source: its operation, the document for all lists that fit, or only names and types. */
  readonly origin: "operation" | "document" | "names"
  readonly comment: ReadonlyArray<string>
}

type Paged = Pick<PaginationModel, "form" | "options">

/** The options of each form, in the order in which they are written; the first are required. */
const forms = {
  cursor: { tag: "Cursor", required: ["query", "next", "items"], optional: ["more"] },
  offset: { tag: "Offset", required: ["query", "items"], optional: ["more"] },
  pageNumber: { tag: "PageNumber", required: ["query", "items"], optional: ["first", "more"] },
  link: { tag: "Link", required: ["items"], optional: ["next"] }
} as const

export const tagOf = ({ form }: PaginationModel): string => forms[form].tag

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** The names of each role, without punctuation and in lower case. */
const roles = {
  cursor: words(
    "cursor after pagetoken pagecursor startingafter nexttoken nextcursor nextpagetoken nextpagecursor continue continuationtoken marker offset page"
  ),
  same: words("cursor after pagetoken pagecursor startingafter"),
  after: words("after"),
  afterId: words("startingafter afterid"),
  lastId: words("lastid endcursor"),
  page: words("page pagenumber pageno"),
  offset: words("offset skip pageoffset"),
  next: words(
    "nextcursor next nextpagetoken nextpagecursor nexttoken continue continuationtoken nextmarker nextoffset nextpage"
  ),
  nextPage: words("nextpage next nextpagenumber"),
  nextOffset: words("nextoffset"),
  nextUrl: words("nexturl nextpageurl nexturi nextlink nexthref next odatanextlink"),
  hasMore: words("hasmore hasnext hasnextpage more"),
  pages: words("totalpages totalpage pagecount numpages lastpage")
}

const plays = (role: keyof typeof roles, name: string): boolean =>
  roles[role].has(name.toLowerCase().replace(/[^a-z\d]/g, ""))

type Kind = "text" | "boolean" | "number"

/** The place of a response that a path leads to. */
interface Found extends Shape.Field {
  readonly path: ReadonlyArray<string>
  /** Where it is not null. */
  readonly shape: Shape.Shape
  readonly isNullable: boolean
  /** The text, number or boolean that it is. */
  readonly kind: Kind | undefined
}

/** A parameter of the query, by the kind that it takes. */
type Asked = Parameter & Pick<Found, "kind">

const solid = (shape: Shape.Shape, shapeOf: Shape.ShapeOf): Pick<Found, "shape" | "isNullable" | "kind"> => {
  const [own, isNullable] = Shape.withoutNull(Shape.resolved(shape, shapeOf))
  const found = Shape.resolved(own, shapeOf)
  return { shape: found, isNullable, kind: kindOf(found) }
}

const kinds: Partial<Record<Shape.Shape["_tag"], Kind>> = {
  Text: "text",
  Integer: "number",
  Number: "number",
  Int64: "number",
  Boolean: "boolean"
}

const kindOf = (shape: Shape.Shape): Kind | undefined =>
  shape._tag === "Literals" && shape.values.every(Predicate.isString) ? "text" : kinds[shape._tag]

/** A whole response, or an item of a list. */
const wholeOf = (shape: Shape.Shape, path: ReadonlyArray<string>, shapeOf: Shape.ShapeOf): Found => ({
  ...solid(shape, shapeOf),
  name: "",
  isRequired: true,
  comment: [],
  path
})

/** The fields of an object, and of those in it, the outer ones first. */
const fieldsOf = (outer: Found, shapeOf: Shape.ShapeOf, depth = 2): ReadonlyArray<Found> => {
  // a path cannot hold the others
  const fields = outer.shape._tag === "Struct" ? outer.shape.fields.filter(({ name }) => name !== "") : []
  const own = fields.map((field) => ({
    ...field,
    ...solid(field.shape, shapeOf),
    path: [...outer.path, field.name],
    isRequired: field.isRequired && outer.isRequired
  }))
  const inner = depth === 0 ? [] : own.filter(({ name }) => !name.includes("."))
  return [...own, ...inner.flatMap((field) => fieldsOf(field, shapeOf, depth - 1))].sort(
    (one, other) => one.path.length - other.path.length
  )
}

/** Whether a text is known to be a URL: by its format, by its name, or by an example. */
const isUrl = ({ comment, name, path, shape }: Found): boolean =>
  (shape._tag === "Text" && /^(uri|iri)(-reference)?$|^url$/.test(shape.format ?? "")) ||
  /ur[il]$|link$|href$/i.test(name) ||
  path.slice(0, -1).some((outer) => /links$/i.test(outer)) ||
  comment.some((line) => /^@example "(https?:\/)?\/|\bur[il]\b|^path to\b/i.test(line))

/** Whether a field of an item, or of a page about its last item, is the ID that a parameter takes. */
const isIdOf = ({ kind, name }: Found, after: Asked | undefined): boolean =>
  after !== undefined &&
  kind === after.kind &&
  (plays("lastId", name) ||
    (name === "id" && (plays("afterId", after.name) || after.comment.some((line) => /\bids?\b/i.test(line)))))

/** The names of the objects in which a field is, of those beside a list; `undefined` if it is elsewhere. */
const besides = (field: Found, list: Found): ReadonlyArray<string> | undefined => {
  const outer = list.path.slice(0, -1)
  return outer.every((name, i) => name === field.path[i]) ? field.path.slice(outer.length, -1) : undefined
}

/** Whether a text that can be missing is in an object about pages beside a list: elsewhere, it can repeat what was asked for. */
const isBeside = (field: Found, list: Found): boolean =>
  field.kind === "text" &&
  (field.isNullable || !field.isRequired) &&
  besides(field, list)?.some((name) => /meta|pag(?:e|ing|ination)|cursor|list/i.test(name)) === true

/** Whether a field can say of a list how it goes on: beside one that can be missing, an object can be another list's. */
const isOf = (field: Found, list: Found): boolean =>
  list.isRequired ||
  besides(field, list)?.every((name) => /meta|pag(?:e|ing|ination)|cursor|list|link|next|info/i.test(name)) === true

const readable = (form: PaginationModel["form"], option: string): ReadonlyArray<Kind> =>
  form === "link"
    ? ["text"]
    : option === "next"
      ? ["text", "number"]
      : form === "cursor"
        ? ["boolean"]
        : ["boolean", "number"]

/** The form of an `x-pagination`, and its options; one that is not understood is unsupported. */
const formOf = (node: unknown, at: string) => {
  const problem = (message: string) => unsupported("pagination", pointer(at, "x-pagination"), `x-pagination ${message}`)
  const names = Object.keys(forms).filter(isForm)
  const form = isObject(node) ? names.find((name) => forms[name].tag === node["_tag"]) : undefined
  if (form === undefined || !isObject(node)) {
    throw problem(`is false, or an object whose _tag is ${names.map((name) => forms[name].tag).join(", ")}`)
  }
  const { optional, required, tag } = forms[form]
  const known: ReadonlyArray<string> = [...required, ...optional]
  const unknown = Object.keys(node).find((key) => key !== "_tag" && !known.includes(key))
  if (unknown !== undefined) throw problem(`has ${unknown}, which ${tag} lacks: it has ${known.join(", ")}`)
  const missing = required.find((key) => !Object.hasOwn(node, key))
  if (missing !== undefined) throw problem(`lacks ${missing}`)
  const options: Record<string, string | number> = {}
  for (const key of known.filter((key) => Object.hasOwn(node, key))) {
    const value = node[key]
    const isKnown = key === "first" ? Predicate.isNumber : Predicate.isString
    if (!isKnown(value)) throw problem(`has ${key}, which is not ${key === "first" ? "a number" : "a text"}`)
    options[key] = value
  }
  return { form, options, problem }
}

/** Why an `x-pagination` for all lists is not understood. */
export const problemOf = (node: unknown): string | undefined => {
  const found = attempt(() => formOf(node, "#"))
  return found instanceof Unsupported ? found.message : undefined
}

const isForm = (name: string): name is PaginationModel["form"] => Object.hasOwn(forms, name)

const at = ({ path }: Found): string => path.join(".")

/** The pagination that the names and types of a query and of a response suggest. */
const inferred = (
  isGet: boolean,
  query: ReadonlyArray<Asked>,
  fields: ReadonlyArray<Found>,
  list: Found,
  ofItem: ReadonlyArray<Found>,
  hasLink: boolean
): Paged | undefined => {
  const items = at(list)
  const asked = (role: keyof typeof roles, kind: Kind): Asked | undefined =>
    query.find((one) => plays(role, one.name) && one.kind === kind)
  // HAL has the link of a relation in an object
  const nameOf = ({ name, path }: Found) => (name === "href" ? (path.at(-2) ?? name) : name)
  const received = (role: keyof typeof roles, kind: Kind, isLink = false): Found | undefined =>
    fields.find(
      (field) => plays(role, nameOf(field)) && field.kind === kind && (kind !== "text" || isUrl(field) === isLink)
    )
  /** The field that says that more follow: of a cursor, the one beside it, since the last page can have a cursor too. */
  const moreOf = (next?: Found) =>
    fields.find(
      ({ kind, name, path }) =>
        plays("hasMore", name) &&
        kind === "boolean" &&
        (next === undefined || String(path.slice(0, -1)) === String(next.path.slice(0, -1)))
    )
  const by = (next: Found | undefined, parameter: Asked | undefined, more = next && moreOf(next)): Paged | undefined =>
    parameter && next
      ? { form: "cursor", options: { query: parameter.name, next: at(next), items, ...(more && { more: at(more) }) } }
      : undefined
  const page = asked("page", "number")
  const offset = asked("offset", "number")
  const cursor =
    by(received("next", "text"), asked("cursor", "text")) ??
    by(received("nextPage", "number"), page) ??
    by(received("nextOffset", "number"), offset) ??
    by(received("next", "number"), asked("same", "number"))
  if (cursor !== undefined) return cursor
  const next = received("nextUrl", "text", true)
  if (isGet && next !== undefined) return { form: "link", options: { items, next: at(next) } }
  if (isGet && hasLink) return { form: "link", options: { items } }
  const same = asked("same", "text")
  const beside = fields.find((field) => field.name === same?.name && isBeside(field, list))
  if (beside !== undefined) return by(beside, same)
  const hasMore = moreOf()
  // the ID of the last item, where the response says that more follow, and the query says that it takes an ID
  const after = query.find(({ name }) => plays("afterId", name)) ?? query.find(({ name }) => plays("after", name))
  const ids = [
    received("lastId", "text"),
    ...ofItem.filter(({ isRequired, path }) => isRequired && path.at(-2) === "-1")
  ]
  const id = ids.find((found) => found && isIdOf(found, after))
  if (hasMore !== undefined && id !== undefined) return by(id, after, hasMore)
  // one page too many or too few would be read, where it is not known which is the first
  if (page?.first !== undefined) {
    const more = hasMore ?? received("pages", "number")
    const first = page.first === 1 ? {} : { first: page.first }
    return { form: "pageNumber", options: { query: page.name, items, ...first, ...(more && { more: at(more) }) } }
  }
  return offset && { form: "offset", options: { query: offset.name, items, ...(hasMore && { more: at(hasMore) }) } }
}

/** The way to the next page, as the end of a sentence. */
const leads = ({ form, options: { more, next, query } }: Paged): string => {
  const says = more === undefined ? "" : `, while \`${more}\` says that more follow`
  switch (form) {
    case "cursor":
      return `\`${query}\` takes what is at \`${next}\`${says}`
    case "offset":
      return `\`${query}\` takes the number of items before it${says}`
    case "pageNumber":
      return `\`${query}\` takes its number${says}`
    case "link":
      return next === undefined ? "the header `Link` leads to it" : `the link at \`${next}\` leads to it`
  }
}

interface Sides {
  readonly requests: { readonly shapeOf: Shape.ShapeOf }
  readonly responses: { readonly shapeOf: Shape.ShapeOf }
}

/**
 * The pagination of an operation: what `x-pagination` says, or else only where it fits the names and types of the query
 * and of the response, which has exactly one list that is required, or exactly one list.
 */
export const of = (model: OperationModel, { requests, responses }: Sides): PaginationModel | undefined => {
  if ((model.pagination ?? model.listPagination) === false) return undefined
  const { shapeOf } = responses
  const [success] = model.successes
  const isJson = model.successes.length === 1 && (success?.kind === "json" || success?.kind === "envelope")
  const shape = isJson ? success?.shape : undefined
  const whole = shape && wholeOf(shape, success?.kind === "envelope" ? ["result"] : [], shapeOf)
  const fields = whole === undefined ? [] : fieldsOf(whole, shapeOf)
  const lists = [...(whole === undefined ? [] : [whole]), ...fields].filter(({ shape }) => shape._tag === "Array")
  const ofItem = ({ path, shape }: Found): ReadonlyArray<Found> =>
    shape._tag === "Array" && shape.tuple === undefined
      ? fieldsOf(wholeOf(shape.item, [...path, "-1"], shapeOf), shapeOf, 1)
      : []
  const isOneOf = ({ kind, shape }: Pick<Found, "kind" | "shape">, kinds: ReadonlyArray<Kind>): boolean =>
    shape._tag === "Union"
      ? shape.members.every((member) => isOneOf(solid(member, shapeOf), kinds))
      : kind !== undefined && kinds.includes(kind)
  const places = [...fields, ...lists.flatMap(ofItem)]
  /** One that does not fit the operation is unsupported. */
  const declared = (node: unknown, pointer: string): Paged => {
    const { form, options, problem } = formOf(node, pointer)
    for (const [key, value] of Object.entries(options)) {
      if (!Predicate.isString(value)) continue
      if (key === "query" && !model.query.some(({ name }) => name === value))
        throw problem(`names a query that is not declared: ${value}`)
      if (key === "items" && !lists.some((list) => at(list) === value)) throw problem(`finds no array at ${value}`)
      if (key === "next" || key === "more") {
        const kinds = readable(form, key)
        const found = places.filter((field) => at(field) === value)
        if (found.length === 0) throw problem(`finds nothing at ${value}`)
        if (!found.some((field) => isOneOf(field, kinds)))
          throw problem(`finds no ${kinds.join(" or ")} at ${value}, where ${key} is`)
      }
    }
    return { form, options }
  }
  const suggested = (): Paged | undefined => {
    const required = lists.filter(({ isRequired }) => isRequired)
    const candidates = required.length > 0 ? required : lists
    const depth = Math.min(...candidates.map((list) => list.path.length))
    const [items, ...others] = candidates.filter((list) => list.path.length === depth)
    if (items === undefined || others.length > 0) return undefined
    // the other side does not have the names of this one
    const query = model.query.map((one) => ({ ...one, ...solid(one.shape, requests.shapeOf) }))
    const near = fields.filter((field) => isOf(field, items))
    return inferred(model.method === "GET", query, near, items, ofItem(items), success?.hasLink === true)
  }
  const paged = (): (Paged & Pick<PaginationModel, "origin">) | undefined => {
    if (model.pagination !== undefined) return { ...declared(model.pagination, model.pointer), origin: "operation" }
    const ofAll = model.listPagination === undefined ? undefined : attempt(() => declared(model.listPagination, "#"))
    if (ofAll !== undefined && !(ofAll instanceof Unsupported)) return { ...ofAll, origin: "document" }
    const found = suggested()
    return found && { ...found, origin: "names" }
  }
  const found = paged()
  if (found === undefined) return undefined
  const items = found.options["items"] === "" ? "The result" : `\`${found.options["items"]}\``
  const guess =
    found.origin === "names" ? ["Inferred from names and types: `x-pagination` in the document corrects it."] : []
  return { ...found, comment: [`${items} is a list in pages. For the next page, ${leads(found)}.`, ...guess] }
}
