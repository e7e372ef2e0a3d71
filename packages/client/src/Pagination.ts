import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Body from "./Body.ts"
import type { Calls } from "./Client.ts"
import type { CallError, ClientReason } from "./CallError.ts"
import { urlEncoded } from "./internal/fields.ts"
import * as OptionRules from "./OptionRules.ts"
import { property, read } from "./internal/property.ts"
import * as Operation from "./Operation.ts"

/**
 * A page, and where the next one begins.
 *
 * @category models
 * @since 0.1.0
 */
export interface Page<out Item> {
  readonly items: ReadonlyArray<Item>
  /** Where the next page begins, for `from`; absent on the last page. The service defines its format. */
  readonly next?: string
}

/**
 * How a list is read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Where to begin: `next` of an earlier page. Default: the first page. */
  readonly from?: string | undefined
}

/** The content at a path, such as `result.keys`. */
const at = (content: unknown, path: string): unknown => path.split(".").reduce(property, content)

/**
 * The parts of the header `Link`: a target, a parameter whose value is quoted or not, and the comma that ends a link.
 * An unclosed part extends to the end.
 */
const linkPart = /<([^>]*)(?:>|$)|;\s*([^\s=;,<"]+)\s*=\s*(?:"((?:[^"\\]|\\[^])*)(?:"|\\?$)|([^\s;,"]*))|,/g

/** The target of the first link with `rel="next"` (RFC 8288 §3): of `</keys?page=2>; rel="next"` it is `/keys?page=2`. */
const nextLink = (header: string): string | undefined => {
  let current: string | undefined
  for (const [, target, name, quoted, token] of header.matchAll(linkPart)) {
    if (name === undefined) current = target
    else if (name.toLowerCase() === "rel") {
      const relations = (quoted ?? token ?? "").toLowerCase().split(/\s/)
      if (relations.includes("next")) return current
      // only the first `rel` of a link counts (§3.3)
      current = undefined
    }
  }
  return undefined
}

/** A URI reference with a query, which ends before the fragment (RFC 3986 §3.4). */
const targetQuery = /^[^?#]*\?([^#]*)/

/** The place of the next page, if the page says that there is one. */
const nextOf = (
  { pagination }: Operation.Paged,
  { headers, value }: Operation.Exchange<unknown>,
  query: Body.Fields,
  count: number
): string | undefined => {
  switch (pagination._tag) {
    case "Cursor": {
      const next = at(value, pagination.next)
      return Predicate.isString(next) && next !== "" ? next : undefined
    }
    case "Offset":
      return count === 0 ? undefined : String(Number(query[pagination.query] ?? 0) + count)
    case "Link":
      return targetQuery.exec(nextLink(headers["link"] ?? "") ?? "")?.[1]
  }
}

/** The query that leads to a place. That of a link is whole: a service may refuse other parameters beside it. */
const queryAt = ({ pagination }: Operation.Paged, own: Body.Fields, place: string): Body.Fields => {
  if (pagination._tag !== "Link") return { ...own, [pagination.query]: place }
  // a map, since a service can name a parameter "constructor"
  const fields = new Map<string, Array<string>>()
  for (const [name, value] of new URLSearchParams(place)) {
    const values = fields.get(name)
    if (values === undefined) fields.set(name, [value])
    else values.push(value)
  }
  return Object.fromEntries(fields)
}

const none = /* @__PURE__ */ Operation.query(/* @__PURE__ */ Schema.Struct({}))

/**
 * Reads a list page by page.
 *
 * **Details**
 *
 * The stream requests a page when it is pulled, and ends after the last page: its cursor is missing, empty, or repeats
 * an earlier one. Throws a `RangeError` if `from` is not a string. Each page is a call with the usual retries and deadlines, so a retry does not lose its place. After a
 * failure, continue from `next` of the last page.
 *
 * **Example** (Saving page by page)
 *
 * ```ts
 * import * as Stream from "effect/Stream"
 * import type * as Client from "@cloud-management/client/Client"
 * import type * as Operation from "@cloud-management/client/Operation"
 * import * as Pagination from "@cloud-management/client/Pagination"
 *
 * const copy = <O extends Operation.Paged>(
 *   cloud: Client.Calls,
 *   listing: O,
 *   input: Operation.Input<O>,
 *   save: (page: Pagination.Page<Operation.Item<O>>) => void
 * ) => Pagination.pages(cloud, listing, input).pipe(Stream.map(save), Stream.runDrain)
 * ```
 *
 * @category paging
 * @since 0.1.0
 */
export function pages<O extends Operation.Paged>(
  client: Calls,
  operation: O,
  input: Operation.Input<O>,
  options?: Options
): Stream.Stream<Page<Operation.Item<O>>, CallError<Operation.Refusals<O> | ClientReason>>
export function pages(
  client: Calls,
  operation: Operation.Paged,
  input: unknown,
  options: Options = {}
): Stream.Stream<unknown, unknown> {
  OptionRules.check("pages", OptionRules.options(options), { from: OptionRules.text })
  const { from } = options
  const declared = operation.query ?? none
  return Stream.suspend(() => {
    const seen = new Set<string>(from === undefined ? [] : [from])
    return Stream.paginate(from, (place) =>
      Effect.gen(function* () {
        // it can have getters that throw
        const encoded = read(() => Result.getOrThrow(declared.encode(at(input, "query") ?? {})))
        // a call with it fails, and says why
        if (encoded === undefined) yield* client.exchange(operation, Object.assign({}, input))
        const own: Body.Fields = encoded ?? {}
        const query = place === undefined ? own : queryAt(operation, own, place)
        // already encoded
        const write = () => Result.succeed(urlEncoded(query, declared.styles))
        const exchange = yield* client.exchange(
          { ...operation, query: { ...declared, write } },
          Object.assign({}, input)
        )
        const found = at(exchange.value, operation.pagination.items)
        const items: ReadonlyArray<unknown> = Array.isArray(found) ? found : []
        const next = nextOf(operation, exchange, query, items.length)
        if (next === undefined || seen.has(next)) return [[{ items }], Option.none<string>()] as const
        seen.add(next)
        return [[{ items, next }], Option.some(next)] as const
      })
    )
  })
}

/**
 * Reads the items of a list, page by page.
 *
 * **Example** (Collecting all items)
 *
 * ```ts
 * import * as Stream from "effect/Stream"
 * import type * as Client from "@cloud-management/client/Client"
 * import type * as Operation from "@cloud-management/client/Operation"
 * import * as Pagination from "@cloud-management/client/Pagination"
 *
 * const all = <O extends Operation.Paged>(cloud: Client.Calls, listing: O, input: Operation.Input<O>) =>
 *   Stream.runCollect(Pagination.items(cloud, listing, input))
 * ```
 *
 * @see {@link pages} for when it requests a page, and where it ends
 *
 * @category paging
 * @since 0.1.0
 */
export const items = <O extends Operation.Paged>(
  client: Calls,
  operation: O,
  input: Operation.Input<O>,
  options?: Options
): Stream.Stream<Operation.Item<O>, CallError<Operation.Refusals<O> | ClientReason>> =>
  Stream.flatMap(pages(client, operation, input, options), ({ items }) => Stream.fromIterable(items))
