import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Body from "@cloud-management/client/Body"
import * as CallError from "@cloud-management/client/CallError"
import { BadRequest, commonRefusals } from "@cloud-management/core/Refusals"
import * as Envelope from "@cloud-management/client/Envelope"
import * as Operation from "@cloud-management/client/Operation"
import * as Operations from "@cloud-management/core/Operations"
import * as Refusal from "@cloud-management/client/Refusal"
import * as Style from "@cloud-management/client/Style"
import * as Wire from "@cloud-management/client/Wire"
import * as CloudService from "@cloud-management/service/CloudService"
import type * as Handlers from "@cloud-management/service/Handlers"
import * as Service from "@cloud-management/service/Service"
import { layerKeys, type Store } from "@cloud-management/service/Store"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"

const on = <const Group, const Name, const Method, const Path>(
  group: Group,
  name: Name,
  method: Method,
  path: Path
) => ({ group, name, method, path, errors: commonRefusals })

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
  query: Operation.query(
    Schema.Struct({
      from: Schema.optionalKey(Schema.FiniteFromString),
      list: Schema.optionalKey(Schema.Array(Schema.String))
    })
  ),
  success: Envelope.withResult(Numbers)
} as const

const Pairs = Schema.Record(Schema.String, Schema.String)
const Texts = Schema.Array(Schema.String)
const Pair = Schema.Struct({ x: Schema.String, y: Schema.String })
/** Query parameters of every style. */
const Styled = Schema.Struct({
  comma: Schema.optionalKey(Texts),
  space: Schema.optionalKey(Texts),
  pipe: Schema.optionalKey(Texts),
  deep: Schema.optionalKey(Pairs),
  nested: Schema.optionalKey(Schema.Struct({ in: Pairs, list: Schema.Array(Schema.Struct({ item: Schema.String })) })),
  spread: Schema.optionalKey(Schema.Struct({ state: Schema.String, size: Schema.FiniteFromString, tags: Texts })),
  pairs: Schema.optionalKey(Pair),
  list: Schema.optionalKey(Texts),
  json: Schema.optionalKey(Wire.exactJsonText(Pairs)),
  long: Schema.optionalKey(Wire.Int64Text)
})
const StyledResponse = Schema.Struct({
  ...Styled.fields,
  spread: Schema.optionalKey(Schema.Struct({ state: Schema.String, size: Schema.Finite, tags: Texts })),
  json: Schema.optionalKey(Pairs),
  long: Schema.optionalKey(Schema.String)
})
const Text = Schema.optionalKey(Schema.String)
const Optional = Schema.Struct({ note: Text })
const Credential = Schema.Struct({ user: Text, password: Text })

/** A refusal with a body of its own, told apart by its code. */
class TooMany extends CallError.refusal(
  "TooMany",
  409,
  Refusal.exact(
    Refusal.body(Schema.Struct({ code: Schema.Literal("too_many"), message: Schema.String, limit: Wire.Int64 }))
  )
) {}
/** Another with the same status. */
class Taken extends CallError.refusal(
  "Taken",
  409,
  Refusal.body(Schema.Struct({ code: Schema.Literal("taken"), message: Schema.String, by: Schema.String }))
) {}
/** A refusal for a range of statuses. */
class Rejected extends CallError.refusal("Rejected", "4XX", Refusal.body(Schema.Struct({ message: Schema.String }))) {}
/** A refusal with free text in the envelope. */
class Gone extends CallError.refusal("Gone", 410, Refusal.text) {}
/** A refusal for all other statuses. */
class Failed extends CallError.refusal("Failed", "default", Refusal.text) {}

const Named = Schema.Struct({ name: Schema.String })
const Long = Schema.Struct({ id: Wire.Int64, text: Schema.String })
const EchoHeaders = Schema.Struct({ "x-echo": Schema.String, "if-match": Schema.optionalKey(Schema.String) })
const Part = Schema.Struct({ name: Schema.String, type: Schema.String, text: Schema.String })

/** Operations of every kind; each returns its input. */
export const operations = {
  echo: {
    path: Operation.make({
      ...on("echo", "path", "GET", "/v1/echo/path/:text/:number"),
      params: Schema.Struct({ text: Schema.String, number: Schema.FiniteFromString }),
      success: Body.json(Schema.Struct({ text: Schema.String, number: Schema.Finite }))
    }),
    query: Operation.make({
      ...on("echo", "query", "GET", "/v1/echo/query"),
      query: Operation.query(Parameters),
      success: Body.json(Parameters)
    }),
    headers: Operation.make({
      ...on("echo", "headers", "GET", "/v1/echo/headers"),
      headers: Operation.headers(EchoHeaders),
      success: Body.json(EchoHeaders)
    }),
    /** Rejects `text=no`. */
    head: Operation.make({
      ...on("echo", "head", "HEAD", "/v1/echo/query"),
      query: Operation.query(Parameters),
      success: Body.empty
    }),
    json: Operation.make({
      ...on("echo", "json", "POST", "/v1/echo/json"),
      summary: "Respond with JSON in an envelope",
      payload: Body.json(Content),
      success: Envelope.withResult(Content)
    }),
    form: Operation.make({
      ...on("echo", "form", "PUT", "/v1/echo/form"),
      payload: Body.form(Parameters),
      success: Body.json(Parameters)
    }),
    text: Operation.make({
      ...on("echo", "text", "PATCH", "/v1/echo/text"),
      payload: Body.text(),
      success: Body.text()
    }),
    bytes: Operation.make({
      ...on("echo", "bytes", "PUT", "/v1/echo/bytes"),
      payload: Body.bytes(),
      success: Body.bytes()
    }),
    delete: Operation.make({
      ...on("echo", "delete", "DELETE", "/v1/echo/query"),
      query: Operation.query(Parameters),
      success: Body.empty
    }),
    /** Does its work once for each idempotency key, and returns how often it has done it. */
    create: Operation.make({
      ...on("echo", "create", "POST", "/v1/echo/create"),
      payload: Body.json(Named),
      success: Envelope.withResult(Schema.Struct({ name: Schema.String, count: Schema.Finite })),
      repeat: Operation.idempotencyKey()
    }),
    byCursor: Operation.make({
      ...page,
      ...on("echo", "byCursor", "GET", "/v1/echo/cursor"),
      pagination: Operation.cursor({ query: "from", next: "result.next", items: "result.numbers" })
    }),
    byOffset: Operation.make({
      ...page,
      ...on("echo", "byOffset", "GET", "/v1/echo/offset"),
      pagination: Operation.offset({ query: "from", items: "result.numbers" })
    }),
    byLink: Operation.make({
      ...page,
      ...on("echo", "byLink", "GET", "/v1/echo/link"),
      pagination: Operation.link({ items: "result.numbers" })
    })
  },
  /** Each kind of content, parameter, refusal and success beyond those. */
  kinds: {
    /** Part of a segment, a colon, a list and a fixed query. */
    path: Operation.make({
      ...on("kinds", "path", "GET", "/v1/kinds/:name.:ext/:list::read?action=run"),
      params: Schema.Struct({ name: Schema.String, ext: Schema.String, list: Schema.Array(Schema.FiniteFromString) }),
      query: Operation.query(Schema.Struct({ text: Schema.optionalKey(Schema.String) })),
      success: Body.json(Schema.Struct({ name: Schema.String, ext: Schema.String, list: Schema.Array(Schema.Finite) }))
    }),
    styles: Operation.make({
      ...on("kinds", "styles", "GET", "/v1/kinds/styles"),
      query: Operation.query(Styled, {
        comma: Style.form,
        space: Style.spaceDelimited,
        pipe: Style.pipeDelimited,
        deep: Style.deepObject,
        nested: Style.deepObject,
        spread: Style.spread,
        pairs: Style.form
      }),
      headers: Operation.headers(
        Schema.Struct({ "x-list": Schema.optionalKey(Texts), "x-pair": Schema.optionalKey(Wire.simple(Pair)) })
      ),
      success: Body.json(
        Schema.Struct({ ...StyledResponse.fields, header: Schema.optionalKey(Texts), pair: Schema.optionalKey(Pair) })
      )
    }),
    /** Optional JSON of another media type; responds 201 with content, 202 without. */
    patch: Operation.make({
      ...on("kinds", "patch", "PATCH", "/v1/kinds/patch"),
      payload: Body.optional(Body.json(Named, "application/merge-patch+json")),
      success: Body.oneOf(Body.status(201, Body.json(Named)), Body.status(202, Body.empty))
    }),
    /** A deletion with content. */
    remove: Operation.make({
      ...on("kinds", "remove", "DELETE", "/v1/kinds/remove"),
      payload: Body.json(Named),
      success: Body.status(200, Body.json(Named))
    }),
    created: Operation.make({
      ...on("kinds", "created", "POST", "/v1/kinds/created"),
      payload: Body.choice(Body.json(Named), Body.text()),
      success: Body.status(201, Envelope.withResult(Named))
    }),
    multipart: Operation.make({
      ...on("kinds", "multipart", "POST", "/v1/kinds/multipart"),
      payload: Body.multipart(
        Schema.Struct({
          title: Schema.String,
          file: Body.File,
          bytes: Schema.optionalKey(Schema.Union([Schema.Uint8Array, Body.File])),
          tags: Schema.optionalKey(Schema.Array(Schema.String))
        })
      ),
      success: Body.json(Schema.Array(Part))
    }),
    upload: Operation.make({
      ...on("kinds", "upload", "PUT", "/v1/kinds/upload"),
      payload: Body.upload("text/plain"),
      success: Body.text()
    }),
    download: Operation.make({
      ...on("kinds", "download", "GET", "/v1/kinds/download"),
      query: Operation.query(Schema.Struct({ parts: Schema.FiniteFromString })),
      success: Body.stream()
    }),
    lines: Operation.make({ ...on("kinds", "lines", "GET", "/v1/kinds/lines"), success: Body.jsonLines(Named) }),
    events: Operation.make({ ...on("kinds", "events", "GET", "/v1/kinds/events"), success: Body.events(Named) }),
    /** Digits beyond 2^53. */
    exact: Operation.make({
      ...on("kinds", "exact", "PUT", "/v1/kinds/exact"),
      payload: Body.exact(Body.json(Long)),
      success: Body.exact(Body.json(Long))
    }),
    /** Alternatives whose fields tell them apart. */
    union: Operation.make({
      ...on("kinds", "union", "POST", "/v1/kinds/union"),
      payload: Body.json(Schema.Union([Optional, Credential])),
      success: Body.json(Wire.oneOf([Optional, Credential]))
    }),
    refuse: Operation.make({
      ...on("kinds", "refuse", "GET", "/v1/kinds/refuse"),
      query: Operation.query(Schema.Struct({ as: Schema.String })),
      success: Body.empty,
      errors: [Failed, Rejected, TooMany, Taken, Gone]
    })
  }
}

const pageFrom = (from = 0) => ({
  numbers: [1, 2, 3, 4, 5].slice(from, from + 2),
  next: from + 2 < 5 ? String(from + 2) : undefined
})

/** The handlers of the operations, which keep the numbers that `create` has returned. */
export const handlers: Effect.Effect<Handlers.Handlers<typeof operations>> = Effect.sync(() => {
  const created = new Map<string, { readonly name: string; readonly count: number }>()
  return {
    echo: {
      path: Effect.succeed,
      query: ({ query = {} }) => Effect.succeed(query),
      headers: ({ headers }) => Effect.succeed(headers),
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
    },
    kinds: {
      path: ({ ext, list, name }) => Effect.succeed({ ext, list, name }),
      styles: ({ headers, query: { long, ...query } = {} }) => {
        const { "x-list": header, "x-pair": pair } = headers ?? {}
        return Effect.succeed({
          ...query,
          ...(long !== undefined && { long: String(long) }),
          ...(header !== undefined && { header }),
          ...(pair !== undefined && { pair })
        })
      },
      patch: ({ payload }) =>
        Effect.succeed(
          payload === undefined
            ? ({ status: 202, value: undefined } as const)
            : ({ status: 201, value: payload } as const)
        ),
      remove: ({ payload }) => Effect.succeed(payload),
      created: ({ payload }) =>
        Effect.succeed(typeof payload.value === "string" ? { name: payload.value } : payload.value),
      multipart: ({ payload: { bytes, file, tags = [], title } }) =>
        Effect.promise(async () => {
          // Bun drops this type, which is that of a part without one
          const describe = async (name: string, part: Blob | Uint8Array | undefined) =>
            part !== undefined && "arrayBuffer" in part
              ? [{ name, type: part.type.split(";", 1)[0] || "application/octet-stream", text: await part.text() }]
              : []
          const text = (name: string) => (text: string) => ({ name, type: "", text })
          return [
            ...[title].map(text("title")),
            ...(await describe("file", file)),
            ...(await describe("bytes", bytes)),
            ...tags.map(text("tags"))
          ]
        }),
      upload: ({ payload }) => Effect.orDie(Stream.mkString(Stream.decodeText(payload.stream))),
      download: ({ query }) =>
        Effect.succeed(Stream.map(Stream.range(1, query.parts), (part) => new Uint8Array(1024).fill(part % 256))),
      lines: () => Effect.succeed(Stream.make({ name: "a" }, { name: "ü✓" })),
      events: () =>
        Effect.succeed(
          Stream.make({ event: "message", id: "1", data: { name: "a" } }, { event: "done", data: { name: "b\nc" } })
        ),
      exact: ({ payload }) => Effect.succeed(payload),
      union: ({ payload }) => Effect.succeed(payload),
      refuse: ({ query }) => {
        switch (query.as) {
          case "many":
            return new TooMany({
              message: "At most",
              body: { code: "too_many", message: "At most", limit: 9007199254740993n }
            })
          case "taken":
            return new Taken({ message: "Taken", body: { code: "taken", message: "Taken", by: "others" } })
          case "gone":
            return new Gone({ message: "The word is gone since Monday" })
          case "rejected":
            return new Rejected({ message: "Not like that", status: 422, body: { message: "Not like that" } })
          default:
            return new Failed({ message: "Out of ideas", status: 507 })
        }
      }
    }
  }
})

/** The operations of the API, and these. */
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
 */
export const layer = (
  options: Service.Options = {}
): Layer.Layer<Service.Service, never, Store | SecureRandom.SecureRandom> =>
  Layer.unwrap(
    Effect.map(Effect.all([CloudService.handlers, handlers]), ([ours, echo]) =>
      Service.layerOf(registry, { ...ours, ...echo }, options)
    )
  ).pipe(Layer.provide(layerKeys))
