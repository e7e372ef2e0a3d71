import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as UrlParams from "effect/http/UrlParams"
import { CallError, InvalidInput, InvalidResponse } from "../CallError.ts"
import * as Region from "./region.ts"
import { unexpected } from "./content.ts"
import * as Fields from "./fields.ts"
import * as Parameters from "./parameters.ts"
import { orUndefined, property } from "./property.ts"

/**
 * A page, and where the next one begins.
 */
export interface Page<out Item> {
  readonly items: ReadonlyArray<Item>
  /** Where the next page begins, for `from`; absent on the last page. The service defines its format. */
  readonly next?: string
}

interface Exchange {
  readonly value: unknown
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly requestId: string | undefined
  readonly attempts: number
}

interface Listing {
  readonly group: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly query?: Parameters.Query<Schema.Codec<object, Fields.Fields>>
  /** An idempotency key, in this header. */
  readonly repeat?: unknown
}

/**
 * Makes what reads a list: each run of it returns the next page, and `undefined` after the last one. `call` calls the
 * operation with the input, and with a query in place of its own; `from` is the place where the list begins.
 */
export interface Reader {
  <E>(
    call: (query: Listing["query"]) => Effect.Effect<Exchange, E>,
    operation: Listing,
    input: unknown,
    from: string | undefined
  ): Effect.Effect<Page<unknown> | undefined, E | CallError<InvalidInput | InvalidResponse>>
}

/**
 * The content at a path, such as `result.keys`; an empty path is that of the whole, `-1` the last item of a list. A name at
 * the end of a path can have dots.
 */
const at = (content: unknown, path: string): unknown => {
  const dot = Predicate.hasProperty(content, path) ? -1 : path.indexOf(".")
  if (dot > 0) return at(at(content, path.slice(0, dot)), path.slice(dot + 1))
  if (path === "-1" && Array.isArray(content)) return content.at(-1)
  return path === "" ? content : property(content, path)
}

/**
 * The parts of the header `Link`: a target, a parameter whose value is quoted or not, and the comma that ends a link.
 * An unclosed part extends to the end.
 */
const linkPart = /<([^>]*)(?:>|$)|;\s*([^\s=;,<"]+)\s*=\s*(?:"((?:[^"\\]|\\[^])*)(?:"|\\?$)|([^\s;,"]*))|,/g

/**
 * The target of the first link with `rel="next"` in the value of a header `Link` (RFC 8288 §3): of `</keys?page=2>; rel="next"`
 * it is `/keys?page=2`.
 */
export const nextLink = (header: string): string | undefined => {
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

const isNumber = (value: unknown): value is number | bigint => Predicate.isNumber(value) || Predicate.isBigInt(value)

/** The text of a cursor, a link or the number of a page; empty text and zero are none. */
const textOf = (place: unknown): string | undefined =>
  Predicate.isString(place) ? place || undefined : isNumber(place) && place > 0 ? String(place) : undefined

/** The place of the next page, if a page with so many items says that there is one. */
export type NextOf = (exchange: Exchange, query: Fields.Fields, count: number) => string | undefined

/** In the content, unless it says that none follows. */
export const inContent =
  (path: string, more = path): NextOf =>
  ({ value }) =>
    at(value, more) === false ? undefined : textOf(at(value, path))

/** In the header `Link`. */
export const inHeader: NextOf = ({ headers }) => textOf(nextLink(headers["link"] ?? ""))

/** A number of the query: how many items there were before, or that of the page. */
export const counted =
  (
    { first = 0, more, query: name }: { readonly query: string; readonly first?: number; readonly more?: string },
    isPage = false
  ): NextOf =>
  ({ value }, query, count) => {
    const next = Number(query[name] ?? first) + (isPage ? 1 : count)
    const found = more === undefined ? undefined : at(value, more)
    const follows = isNumber(found) ? next - first < found : found
    // without items, an offset leads nowhere
    return follows === false || (count === 0 && !(isPage && follows === true)) ? undefined : String(next)
  }

/** The URL of a reference without the credentials in it; fails for what is no reference to the origin of the base. */
const targetOf = (reference: string, base: string, { isSecret, redact = identity }: Parameters.Withheld): string => {
  const target = orUndefined(() => new URL(reference, base))
  const { host, origin, protocol } = new URL(base)
  // A service behind a proxy that ends TLS can name its own places with http: they are requested with https all the same.
  // Of what begins with "blob:", the origin is that of the URL inside.
  if (target?.host !== host || !["http:", protocol].includes(target.protocol)) {
    throw unexpected("a place at the origin of the base URL", "from")
  }
  const { pathname, search } = target
  const names = Context.get(redact(Context.make(UrlParams.CurrentRedactedNames, [])), UrlParams.CurrentRedactedNames)
  const isWithheld = ([name, value]: readonly [string, string]) => names.includes(name) || isSecret(value)
  // the text of the others stays as it is
  const parts = search
    .slice(1)
    .split("&")
    .filter((part) => part !== "" && ![...new URLSearchParams(part)].some(isWithheld))
  return `${origin}${pathname}${parts.length === 0 ? "" : "?"}${parts.join("&")}`
}

const none = /* @__PURE__ */ Parameters.query(/* @__PURE__ */ Schema.Struct({}))

/** Reads pages whose items are at a path, and whose places are sent in a parameter, or requested as links. */
export const reader =
  (itemsAt: string, parameter: string | undefined, nextOf: NextOf): Reader =>
  (call, operation, input, from) => {
    const declared = operation.query ?? none
    const { group, method, name, path } = operation
    const own = { operation: `${group}.${name}`, method, path }
    const keyed = property(operation.repeat, "header")
    const isLink = (place: string) => parameter === undefined || /^https?:\/\//i.test(place)
    let place = from
    let isLast = false
    let problem: CallError<InvalidResponse> | undefined
    // Brent's algorithm finds a circle with one earlier place in memory
    let earlier = place
    let distance = 0
    let limit = 1
    return Effect.gen(function* () {
      if (problem !== undefined) return yield* problem
      if (isLast) return undefined
      const given = [yield* Region.headers, property(input, "headers")]
      const names = given.flatMap((headers) => Object.keys(Predicate.isObject(headers) ? headers : {}))
      const key = names.find((name) => name.toLowerCase() === keyed)
      if (key !== undefined) {
        const message = `headers.${key} must be left out: each page is a call of its own`
        const reason = new InvalidInput({ message, path: `headers.${key}` })
        return yield* new CallError({ ...own, attempts: 0, outcome: "not-sent", reason })
      }
      // it can have getters that throw
      const encoded = orUndefined(() => Result.getOrThrow(declared.encode(property(input, "query") ?? {})))
      // a call with it fails, and says why
      if (encoded === undefined) yield* call(operation.query)
      const link = place !== undefined && isLink(place) ? place : undefined
      const query: Fields.Fields = {
        ...encoded,
        ...(place !== undefined && parameter !== undefined && { [parameter]: place })
      }
      let here = ""
      let signature: (() => Parameters.Withheld) | undefined
      const exchange = yield* call({
        ...declared,
        // already encoded
        write: () => Result.succeed(link === undefined ? Fields.urlEncoded(query, declared.styles) : ""),
        locate: (url, withheld) => {
          signature = withheld
          return (here = link === undefined ? url : targetOf(link, url, withheld()))
        }
      })
      const { attempts, requestId, status, value } = exchange
      const found = at(value, itemsAt)
      const items: ReadonlyArray<unknown> = Array.isArray(found) ? found : []
      const reference = nextOf(exchange, query, items.length)
      isLast = reference === undefined
      if (reference === undefined) return { items }

      const withheld = signature?.()
      const next = isLink(reference) && withheld ? orUndefined(() => targetOf(reference, here, withheld)) : reference
      if (next === undefined || next === place || next === earlier) {
        const target =
          next === undefined ? "another origin than that of the base URL" : "one before it: the list is a circle"
        problem = new CallError({
          ...own,
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
