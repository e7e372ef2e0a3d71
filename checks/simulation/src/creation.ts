import { Effect, Layer, Schema } from "effect"
import { Body, Envelope, Operation } from "@cloud-management/client"
import { commonRefusals } from "@cloud-management/core/Refusals"
import { Operations } from "@cloud-management/core"
import { OrganizationId } from "@cloud-management/core/Organization"
import { CloudService, type Handlers, Service } from "@cloud-management/service"
import { layerKeys } from "@cloud-management/service/Store"
import { CurrentExchange } from "./journal.ts"
import { storeStep, type Setting } from "./network.ts"

const Thing = Schema.Struct({ name: Schema.String })

const shared = {
  group: "things",
  method: "POST",
  summary: "Create a thing",
  params: Schema.Struct({ organizationId: OrganizationId }),
  payload: Body.json(Thing),
  success: Envelope.withResult(Thing),
  errors: commonRefusals,
  annotations: { scope: "organization", stability: "stable" }
} as const

export const create = Operation.make({
  ...shared,
  name: "create",
  path: "/v1/organizations/:organizationId/things",
  repeat: Operation.idempotencyKey()
})

export const createOnce = Operation.make({
  ...shared,
  name: "createOnce",
  path: "/v1/organizations/:organizationId/thingsOnce"
})

const registry = { ...Operations.operations, things: { create, createOnce } }

export const makeService = Effect.fnUntraced(function* (setting: Setting, options: Service.Options) {
  const created = new Map<string, typeof Thing.Type>()
  const work = (thing: typeof Thing.Type, idempotencyKey?: string) =>
    storeStep(
      setting,
      Effect.withFiber((fiber) => {
        const before = idempotencyKey === undefined ? undefined : created.get(idempotencyKey)
        if (before !== undefined) return Effect.succeed(before)
        if (idempotencyKey !== undefined) created.set(idempotencyKey, thing)
        const exchange = fiber.getRef(CurrentExchange)
        if (exchange !== undefined) setting.journal.applied(exchange, "creates the thing")
        return Effect.succeed(thing)
      })
    )
  const handlers: Handlers.Handlers<typeof registry> = {
    ...(yield* CloudService.handlers),
    things: {
      create: ({ payload }, { idempotencyKey }) => work(payload, idempotencyKey),
      createOnce: ({ payload }) => work(payload)
    }
  }
  return Layer.provide(Service.layerOf(registry, handlers, options), layerKeys)
})
