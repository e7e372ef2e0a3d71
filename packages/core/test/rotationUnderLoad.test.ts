import { expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/core/Credentials"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import { start } from "../../../checks/fixtures/Host.ts"

it.live("a key is replaced under load, again and again, without a failed call", () =>
  Effect.gen(function* () {
    const { url: baseUrl } = yield* start()
    const keys = [Fixtures.deployKey, Fixtures.backupKey, ...Object.values(Fixtures.spareKeys)]
    const [first = Fixtures.deployKey, ...others] = keys
    let inUse = first
    const credentialsOf = ({ id, secret }: typeof inUse) => Credentials.make(id, secret)
    let reads = 0
    const connect = (credentials: Effect.Effect<Credentials.Credentials>) =>
      Effect.map(
        Layer.build(CloudManagement.layer({ baseUrl, credentials }).pipe(Layer.provide(NodeTransport.layer))),
        Context.get(CloudManagement.CloudManagement)
      )
    const cloud = yield* connect(
      Effect.sync(() => {
        reads++
        return credentialsOf(inUse)
      })
    )
    let calls = 0
    const call = Effect.andThen(
      cloud.organizations.list(),
      Effect.sync(() => calls++)
    )
    const load = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: 16 }, () => Effect.forever(call)),
        { concurrency: "unbounded" }
      )
    )
    /** Lets so many calls be made. A call that fails ends the load. */
    const make = (count: number) =>
      Effect.suspend(() => {
        const end = calls + count
        return Effect.repeat(Effect.delay(Effect.void, 1), {
          until: () => calls >= end || load.pollUnsafe() !== undefined
        })
      })
    for (const next of others) {
      yield* make(100)
      const old = inUse
      inUse = next
      const operator = yield* connect(Effect.succeed(credentialsOf(next)))
      yield* operator.apiKeys.delete({ organizationId: Fixtures.acme, keyId: old.id })
    }
    yield* make(100)
    expect(load.pollUnsafe()).toBeUndefined()
    yield* Fiber.interrupt(load)
    expect(reads).toBe(keys.length)
  }).pipe(Effect.scoped)
)
