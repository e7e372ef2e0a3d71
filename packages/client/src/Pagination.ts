import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as UrlParams from "effect/http/UrlParams"
import type * as Body from "./Body.ts"
import type { Calls } from "./Client.ts"
import { CallError, InvalidResponse, type ClientReason } from "./CallError.ts"
import { unexpected } from "./internal/content.ts"
import { urlEncoded } from "./internal/fields.ts"
import type { Withheld } from "./internal/parameters.ts"
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

/** The content at a path, such as `result.keys`; an empty path is that of the whole. */
const at = (content: unknown, path: string): unknown =>
  path === "" ? content : path.split(".").reduce(property, content)

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

/** The text of a cursor, a link or the number of a page; empty text and zero are none. */
const textOf = (place: unknown): string | undefined =>
  Predicate.isString(place)
    ? place || undefined
    : (Predicate.isNumber(place) || Predicate.isBigInt(place)) && place > 0
      ? String(place)
      : undefined

/** The place of the next page, if the page says that there is one. */
const nextOf = (
  { pagination }: Operation.Paged,
  { headers, value }: Operation.Exchange<unknown>,
  query: Body.Fields,
  count: number
): string | undefined => {
  if (pagination._tag === "Link" && pagination.next === undefined) return textOf(nextLink(headers["link"] ?? ""))
  if (pagination._tag === "Link" || pagination._tag === "Cursor") return textOf(at(value, pagination.next ?? ""))
  const isPage = pagination._tag === "PageNumber"
  const first = isPage ? (pagination.first ?? 1) : 0
  const next = Number(query[pagination.query] ?? first) + (isPage ? 1 : count)
  const more = pagination.more === undefined ? undefined : at(value, pagination.more)
  const follows = Predicate.isNumber(more) ? next - first < more : more
  // without items, an offset leads nowhere
  return follows === false || (count === 0 && !(isPage && follows === true)) ? undefined : String(next)
}

/** The URL of a reference without the credentials in it; fails for what is no reference to the origin of the base. */
const targetOf = (reference: string, base: string, { isSecret, redact = identity }: Withheld): string => {
  const target = read(() => new URL(reference, base))
  const { host, protocol } = new URL(base)
  // of what begins with "blob:", the origin is that of the URL inside
  if (target?.host !== host || target.protocol !== protocol) {
    throw unexpected("a place at the origin of the base URL", "from")
  }
  const { origin, pathname, search } = target
  const names = Context.get(redact(Context.make(UrlParams.CurrentRedactedNames, [])), UrlParams.CurrentRedactedNames)
  const isWithheld = ([name, value]: readonly [string, string]) => names.includes(name) || isSecret(value)
  // the text of the others stays as it is
  const parts = search
    .slice(1)
    .split("&")
    .filter((part) => part !== "" && ![...new URLSearchParams(part)].some(isWithheld))
  return `${origin}${pathname}${parts.length === 0 ? "" : "?"}${parts.join("&")}`
}

const none = /* @__PURE__ */ Operation.query(/* @__PURE__ */ Schema.Struct({}))

/**
 * Creates a reader of a list: each run of it is a call that reads the next page. It succeeds with `undefined` after the last.
 *
 * **When to use**
 *
 * For programs that read pages without a `Stream`.
 *
 * **Gotchas**
 *
 * It keeps its place: make one for each reading, and run it again only after it has ended. After a failure it reads the same
 * page again.
 *
 * @see {@link pages} for where a list ends
 *
 * @category paging
 * @since 0.1.0
 */
export function reader<O extends Operation.Paged>(
  client: Calls,
  operation: O,
  input: Operation.Input<O>,
  options?: Options
): Effect.Effect<Page<Operation.Item<O>> | undefined, CallError<Operation.Refusals<O> | ClientReason>>
export function reader(
  client: Calls,
  operation: Operation.Paged,
  input: unknown,
  options: Options = {}
): Effect.Effect<Page<unknown> | undefined, unknown> {
  OptionRules.check("pages", OptionRules.options(options), { from: OptionRules.text })
  const declared = operation.query ?? none
  const { method, pagination, path } = operation
  const isLink = (place: string) => pagination._tag === "Link" || /^https?:\/\//i.test(place)
  let place = options.from
  let isLast = false
  let problem: CallError<InvalidResponse> | undefined
  // Brent's algorithm finds a circle with one earlier place in memory
  let earlier = place
  let distance = 0
  let limit = 1
  return Effect.gen(function* () {
    if (problem !== undefined) return yield* problem
    if (isLast) return undefined
    // it can have getters that throw
    const encoded = read(() => Result.getOrThrow(declared.encode(at(input, "query") ?? {})))
    // a call with it fails, and says why
    if (encoded === undefined) yield* client.exchange(operation, Object.assign({}, input))
    const link = place !== undefined && isLink(place) ? place : undefined
    const query: Body.Fields = {
      ...encoded,
      ...(place !== undefined && pagination._tag !== "Link" && { [pagination.query]: place })
    }
    let here = ""
    let signature: (() => Withheld) | undefined
    const exchange = yield* client.exchange(
      {
        ...operation,
        query: {
          ...declared,
          // already encoded
          write: () => Result.succeed(link === undefined ? urlEncoded(query, declared.styles) : ""),
          locate: (url, withheld) => {
            signature = withheld
            return (here = link === undefined ? url : targetOf(link, url, withheld()))
          }
        }
      },
      Object.assign({}, input)
    )
    const { attempts, requestId, status, value } = exchange
    const found = at(value, pagination.items)
    const items: ReadonlyArray<unknown> = Array.isArray(found) ? found : []
    const reference = nextOf(operation, exchange, query, items.length)
    isLast = reference === undefined
    if (reference === undefined) return { items }

    const withheld = signature?.()
    const next = isLink(reference) && withheld ? read(() => targetOf(reference, here, withheld)) : reference
    if (next === undefined || next === place || next === earlier) {
      const target =
        next === undefined ? "another origin than that of the base URL" : "one before it: the list is a circle"
      problem = new CallError({
        operation: Operation.nameOf(operation),
        method,
        path,
        status,
        requestId: requestId && withheld?.sanitize(requestId),
        attempts,
        outcome: "unknown",
        reason: new InvalidResponse({ message: `the page leads to ${target}` })
      })
    }
    if (++distance === limit) {
      earlier = next
      distance = 0
      limit *= 2
    }
    place = next
    return next === undefined ? { items } : { items, next }
  })
}

/**
 * Reads a list page by page.
 *
 * **Details**
 *
 * The stream requests a page when it is pulled, and ends after the last page. Each page is a call with the usual retries
 * and deadlines, so a retry does not lose its place. After a failure, continue from `next` of the last page. Throws a
 * `RangeError` if `from` is not a string.
 *
 * A link, and a cursor that is an absolute URL, is requested as it is, without the credentials in it, which each request
 * gets anew. The list fails with `InvalidResponse` after a page that leads to another origin, or back to one that was read.
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
 *   client: Client.Calls,
 *   listing: O,
 *   input: Operation.Input<O>,
 *   save: (page: Pagination.Page<Operation.Item<O>>) => void
 * ) => Pagination.pages(client, listing, input).pipe(Stream.map(save), Stream.runDrain)
 * ```
 *
 * @category paging
 * @since 0.1.0
 */
export const pages = <O extends Operation.Paged>(
  client: Calls,
  operation: O,
  input: Operation.Input<O>,
  options: Options = {}
): Stream.Stream<Page<Operation.Item<O>>, CallError<Operation.Refusals<O> | ClientReason>> => {
  OptionRules.check("pages", OptionRules.options(options), { from: OptionRules.text })
  return Stream.suspend(() => {
    const next = reader(client, operation, input, options)
    return Stream.unfold(undefined, () => Effect.map(next, (page) => page && ([page, undefined] as const)))
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
 * const all = <O extends Operation.Paged>(client: Client.Calls, listing: O, input: Operation.Input<O>) =>
 *   Stream.runCollect(Pagination.items(client, listing, input))
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
