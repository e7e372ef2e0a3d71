import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type { Registry } from "@cloud-management/client/Client"
import * as Refusals from "@cloud-management/core/Refusals"
import { nameOf, type Any } from "@cloud-management/client/Operation"
import { OrganizationId } from "@cloud-management/core/Organization"
import type * as Audit from "../Audit.ts"
import type { Call, Handlers } from "../Handlers.ts"
import type { KeyStore, ApiKey, Lookup, StoreUnavailable } from "../KeyStore.ts"
import type * as Responses from "../wire/responses.ts"
import type { Exchange } from "../wire/exchange.ts"
import type { Find, Gate } from "../admission/gate.ts"
import * as Input from "../wire/input.ts"
import * as Output from "../wire/output.ts"
import * as Recording from "../recording.ts"
import * as Rejections from "../admission/rejections.ts"
import type * as Router from "../wire/router.ts"
import * as WellFormed from "../wire/wellFormed.ts"

export type Respond = (
  exchange: Exchange
) => Effect.Effect<HttpServerResponse.HttpServerResponse, Responses.Refused | StoreUnavailable>

export interface Route extends Router.Route {
  readonly respond: Respond
}

type AnyHandler =
  | ((input: object, call: Call) => Effect.Effect<unknown, Responses.Refused | StoreUnavailable>)
  | {
      readonly read: (
        input: object,
        caller: ApiKeyId
      ) => Effect.Effect<Lookup<Effect.Effect<unknown, Responses.Refused>>, StoreUnavailable>
    }

type Work = (key: ApiKey) => Effect.Effect<HttpServerResponse.HttpServerResponse, Responses.Refused | StoreUnavailable>

export interface Needs {
  readonly store: KeyStore["Service"]
  readonly gate: Gate
  readonly audit: Audit.Recorder
  readonly limited: (exchange: Exchange, key: ApiKey, work: Work) => ReturnType<Respond>
}

const isOrganizationId = Schema.is(OrganizationId)

const noBody: Uint8Array = new Uint8Array()

/** Authentication, rate limit, authorization of the organization, validation, the work of its handler. */
export const make = Effect.fnUntraced(function* <Api extends Registry>(
  operations: Api,
  handlers: Handlers<Api>,
  { audit, gate, store, limited }: Needs
) {
  const denials = yield* Rejections.make(audit, "access.denied", 1)
  const findKey: Find<void> = (caller) => Effect.map(store.apiKey(caller), (caller) => ({ caller, found: undefined }))

  const route = (operation: Any, handler: AnyHandler): Route => {
    const { annotations, method, path, repeat, success } = operation
    const name = nameOf(operation)
    const decode = Input.compile(operation)
    const encode = Output.compile(success)

    /** Refuses an organization that is not the key's, with the same response whether or not it exists. */
    const forbid = (exchange: Exchange, key: ApiKey, organizationId: unknown) => {
      if (annotations?.["scope"] !== "organization" || organizationId === key.organizationId) return undefined
      const actor = `key:${key.id}`
      const named = isOrganizationId(organizationId) ? organizationId : undefined
      const fields = { operation: name, actor, organizationId: named }
      return Effect.andThen(
        Effect.flatMap(denials(actor, { actor }), (isFirst) =>
          isFirst ? audit("access.denied", Recording.fieldsOf(exchange, fields)) : Effect.void
        ),
        Effect.fail(new Refusals.Forbidden({ message: "FORBIDDEN: The key is not for this organization" }))
      )
    }

    const act = Effect.fnUntraced(function* (
      handler: Extract<AnyHandler, Function>,
      exchange: Exchange,
      input: object,
      key: ApiKey
    ) {
      const { request, requestId } = exchange
      const idempotencyKey = typeof repeat === "object" ? (request.headers[repeat.header] ?? "") : undefined
      if (typeof repeat === "object" && idempotencyKey === "") {
        return yield* new Refusals.BadRequest({ message: `BAD_REQUEST: The header ${repeat.header} is missing` })
      }
      let headers: Readonly<Record<string, string>> = {}
      const result = yield* handler(input, {
        key,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
        setHeaders: (added) => Effect.sync(() => void (headers = { ...headers, ...added })),
        record: (event, fields) => audit(event, Recording.fieldsOf(exchange, fields)),
        entry: (event, fields) => ({ event, ...Recording.fieldsOf(exchange, fields) }),
        authenticate: Effect.map(gate(exchange, name, findKey), ({ key }) => key)
      })
      return Output.sendable(HttpServerResponse.setHeaders(encode(result, requestId), headers))
    })

    /** Decodes the input first, because a read needs it. What is wrong with it is said after the check of the organization. */
    const finder =
      (exchange: Exchange, body: Uint8Array): Find<Work> =>
      (caller) => {
        const { params, request, requestId } = exchange
        const keyOnly = (found: Work) => Effect.map(store.apiKey(caller), (caller) => ({ caller, found }))
        const decoded = decode({ params, target: request.url, headers: request.headers, body })
        const looked = Effect.matchEager(decoded, {
          onFailure: (refused) => {
            const named = params["organizationId"]?.toLowerCase()
            return keyOnly(
              (key) => (isOrganizationId(named) ? forbid(exchange, key, named) : undefined) ?? Effect.fail(refused)
            )
          },
          onSuccess: (input) => {
            const named = Predicate.hasProperty(input, "organizationId") ? input.organizationId : undefined
            return typeof handler === "function"
              ? keyOnly((key) => forbid(exchange, key, named) ?? act(handler, exchange, input, key))
              : Effect.map(handler.read(input, caller), ({ caller, found }) => ({
                  caller,
                  found: (key: ApiKey) =>
                    forbid(exchange, key, named) ?? Effect.mapEager(found, (result) => encode(result, requestId))
                }))
          }
        })
        return Effect.flatMapEager(looked, identity)
      }

    return {
      method,
      path,
      respond: (exchange) => {
        const respond = (body: Uint8Array) =>
          Effect.flatMap(gate(exchange, name, finder(exchange, body)), ({ found: work, key }) =>
            limited(exchange, key, work)
          )
        // no body is read for a caller without a key; and the key may be deleted while the body comes
        return WellFormed.hasContent(exchange.request)
          ? Effect.flatMap(Effect.andThen(gate(exchange, name, findKey), WellFormed.body(exchange.request)), respond)
          : respond(noBody)
      }
    }
  }

  // oxlint-disable-next-line typescript/consistent-type-assertions -- each fits the operation of its name, which is not told here
  const byName = handlers as Readonly<Record<string, Readonly<Record<string, AnyHandler>>>>
  return Object.entries(operations).flatMap(([group, named]) =>
    Object.entries(named).flatMap(([name, operation]) => {
      const handler = byName[group]?.[name]
      return handler === undefined ? [] : [route(operation, handler)]
    })
  )
})
