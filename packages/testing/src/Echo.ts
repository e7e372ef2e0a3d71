import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Body from "@cloud-management/core/Body"
import { BadRequest, commonRefusals } from "@cloud-management/core/CloudError"
import * as Envelope from "@cloud-management/core/Envelope"
import * as Operation from "@cloud-management/core/Operation"
import * as Operations from "@cloud-management/core/Operations"
import * as Handlers from "@cloud-management/service/Handlers"
import * as Service from "@cloud-management/service/Service"
import type { Store } from "@cloud-management/service/Store"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"

const shared = { group: "echo", errors: commonRefusals, scope: "key", stability: "stable" } as const

/** Query parameters of every kind. */
const Parameters = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  number: Schema.optionalKey(Schema.FiniteFromString),
  list: Schema.optionalKey(Schema.Array(Schema.String))
})

const Content = Schema.Struct({
  text: Schema.String,
  number: Schema.Finite,
  at: Schema.DateTimeUtcFromString,
  list: Schema.Array(Schema.NullOr(Schema.String)),
  absent: Schema.optionalKey(Schema.String)
})

/** A page of the numbers from 1 to 5, two per page. */
const Numbers = Schema.Struct({
  numbers: Schema.Array(Schema.Finite),
  next: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const page = {
  ...shared,
  method: "GET",
  query: Operation.query(
    Schema.Struct({
      from: Schema.optionalKey(Schema.FiniteFromString),
      list: Schema.optionalKey(Schema.Array(Schema.String))
    })
  ),
  success: Envelope.withResult(Numbers)
} as const

/**
 * Operations of every kind; each returns its input.
 *
 * @category constants
 * @since 0.1.0
 */
export const operations = {
  echo: {
    path: Operation.make({
      ...shared,
      name: "path",
      method: "GET",
      path: "/v1/echo/path/:text/:number",
      summary: "Answer with the variables of the path",
      params: Schema.Struct({ text: Schema.String, number: Schema.FiniteFromString }),
      success: Body.json(Schema.Struct({ text: Schema.String, number: Schema.Finite }))
    }),
    query: Operation.make({
      ...shared,
      name: "query",
      method: "GET",
      path: "/v1/echo/query",
      summary: "Answer with the parameters of the query",
      query: Operation.query(Parameters),
      success: Body.json(Parameters)
    }),
    headers: Operation.make({
      ...shared,
      name: "headers",
      method: "GET",
      path: "/v1/echo/headers",
      summary: "Answer with two headers",
      headers: Operation.headers(
        Schema.Struct({ "x-echo": Schema.String, "if-match": Schema.optionalKey(Schema.String) })
      ),
      success: Body.json(Schema.Struct({ "x-echo": Schema.String, "if-match": Schema.optionalKey(Schema.String) }))
    }),
    /** Rejects `text=no`. */
    head: Operation.make({
      ...shared,
      name: "head",
      method: "HEAD",
      path: "/v1/echo/query",
      summary: "Answer without content",
      query: Operation.query(Parameters),
      success: Body.empty
    }),
    json: Operation.make({
      ...shared,
      name: "json",
      method: "POST",
      path: "/v1/echo/json",
      summary: "Answer with JSON in an envelope",
      payload: Body.json(Content),
      success: Envelope.withResult(Content)
    }),
    form: Operation.make({
      ...shared,
      name: "form",
      method: "PUT",
      path: "/v1/echo/form",
      summary: "Answer with the fields of a form",
      payload: Body.form(Parameters),
      success: Body.json(Parameters)
    }),
    text: Operation.make({
      ...shared,
      name: "text",
      method: "PATCH",
      path: "/v1/echo/text",
      summary: "Answer with a text",
      payload: Body.text(),
      success: Body.text()
    }),
    bytes: Operation.make({
      ...shared,
      name: "bytes",
      method: "PUT",
      path: "/v1/echo/bytes",
      summary: "Answer with bytes",
      payload: Body.bytes(),
      success: Body.bytes()
    }),
    delete: Operation.make({
      ...shared,
      name: "delete",
      method: "DELETE",
      path: "/v1/echo/query",
      summary: "Answer to a deletion without content",
      query: Operation.query(Parameters),
      success: Body.empty
    }),
    /** Does its work once for each idempotency key, and returns how often it has done it. */
    create: Operation.make({
      ...shared,
      name: "create",
      method: "POST",
      path: "/v1/echo/create",
      summary: "Count the idempotency keys",
      payload: Body.json(Schema.Struct({ name: Schema.String })),
      success: Envelope.withResult(Schema.Struct({ name: Schema.String, count: Schema.Finite })),
      repeat: Operation.idempotencyKey()
    }),
    byCursor: Operation.make({
      ...page,
      name: "byCursor",
      path: "/v1/echo/cursor",
      summary: "List five numbers, by a cursor",
      pagination: Operation.cursor({ query: "from", next: "result.next", items: "result.numbers" })
    }),
    byOffset: Operation.make({
      ...page,
      name: "byOffset",
      path: "/v1/echo/offset",
      summary: "List five numbers, by an offset",
      pagination: Operation.offset({ query: "from", items: "result.numbers" })
    }),
    byLink: Operation.make({
      ...page,
      name: "byLink",
      path: "/v1/echo/link",
      summary: "List five numbers, by links",
      pagination: Operation.link({ items: "result.numbers" })
    })
  }
}

const pageFrom = (from = 0) => ({
  numbers: [1, 2, 3, 4, 5].slice(from, from + 2),
  next: from + 2 < 5 ? String(from + 2) : undefined
})

/**
 * The handlers of the operations, which keep the numbers that `create` has returned.
 *
 * @category handlers
 * @since 0.1.0
 */
export const handlers: Effect.Effect<Handlers.Handlers<typeof operations>> = Effect.sync(() => {
  const created = new Map<string, { readonly name: string; readonly count: number }>()
  return {
    echo: {
      path: Effect.succeed,
      query: ({ query = {} }) => Effect.succeed(query),
      headers: ({ headers }) =>
        Effect.succeed({
          "x-echo": headers["x-echo"],
          ...(headers["if-match"] !== undefined && { "if-match": headers["if-match"] })
        }),
      head: ({ query }) =>
        query?.text === "no" ? Effect.fail(new BadRequest({ message: "BAD_REQUEST: as asked for" })) : Effect.void,
      json: ({ payload }) => Effect.succeed(payload),
      form: ({ payload }) => Effect.succeed(payload),
      text: ({ payload }) => Effect.succeed(payload),
      bytes: ({ payload }) => Effect.succeed(payload),
      delete: () => Effect.void,
      create: ({ payload: { name } }, { idempotencyKey = "" }) =>
        Effect.sync(() => {
          const result = created.get(idempotencyKey) ?? { name, count: created.size + 1 }
          created.set(idempotencyKey, result)
          return result
        }),
      byCursor: ({ query }) => {
        const { next = null, numbers } = pageFrom(query?.from)
        return Effect.succeed({ numbers, next })
      },
      byOffset: ({ query }) => Effect.succeed({ numbers: pageFrom(query?.from).numbers }),
      byLink: ({ query }, { setHeaders }) => {
        const { next, numbers } = pageFrom(query?.from)
        const list = (query?.list ?? []).map((text) => `&list=${encodeURIComponent(text)}`).join("")
        const link = `</v1/echo/link?from=${next}${list}>; title="a, b"; rel="next"`
        return Effect.as(next === undefined ? Effect.void : setHeaders({ link }), { numbers })
      }
    }
  }
})

/**
 * The operations of the API, and these.
 *
 * @category constants
 * @since 0.1.0
 */
export const registry = { ...Operations.operations, ...operations }

/**
 * The service of {@link registry}, for any host or the in-memory transport.
 *
 * **Example** (Serving in memory)
 *
 * ```ts
 * import * as Layer from "effect/Layer"
 * import * as SecureRandom from "effect/crypto/SecureRandom"
 * import * as Echo from "@cloud-management/testing/Echo"
 * import * as Fixtures from "@cloud-management/testing/Fixtures"
 * import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
 *
 * const transport = InMemoryTransport.layerService.pipe(
 *   Layer.provide(Echo.layer()),
 *   Layer.provide(InMemoryTransport.layerStore(Fixtures.seed)),
 *   Layer.provide(SecureRandom.layerWebCrypto)
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Service.Options = {}
): Layer.Layer<Service.Service, never, Store | SecureRandom.SecureRandom> =>
  Layer.unwrap(
    Effect.map(Effect.all([Handlers.make, handlers]), ([ours, echo]) =>
      Service.layerOf(registry, { ...ours, ...echo }, options)
    )
  )
