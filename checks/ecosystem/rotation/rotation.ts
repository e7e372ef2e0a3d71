/** Replaces the key of a client by another one and deletes the old one, while 16 fibers make calls without a pause. */
import { ApiKey, CloudManagement, Credentials } from "@cloud-management/core"
import { NodeTransport } from "@cloud-management/node"
import { Config, Effect, Fiber, Ref } from "effect"

const program = Effect.gen(function* () {
  const baseUrl = yield* Config.String("CLOUD_MANAGEMENT_BASE_URL")
  const oldId = yield* Config.String("CLOUD_MANAGEMENT_KEY_ID")
  const old = Credentials.make(oldId, yield* Config.Redacted("CLOUD_MANAGEMENT_KEY_SECRET"))
  const next = Credentials.make(yield* Config.String("VICTIM"), yield* Config.Redacted("VICTIM_SECRET"))

  const vault = yield* Ref.make(old)
  const reads = yield* Ref.make(0)
  const credentials = Effect.andThen(
    Ref.update(reads, (count) => count + 1),
    Ref.get(vault)
  )
  const calls = yield* Ref.make(0)

  yield* Effect.gen(function* () {
    const cloud = yield* CloudManagement.CloudManagement
    const [{ id: organizationId }] = yield* cloud.organizations.list()
    const call = Effect.andThen(
      cloud.organizations.list(),
      Ref.update(calls, (count) => count + 1)
    )
    const load = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: 16 }, () => Effect.forever(call)),
        { concurrency: "unbounded" }
      )
    )
    const until = (count: number) => Effect.repeat(Effect.delay(Ref.get(calls), 1), { until: (made) => made >= count })
    yield* until(200)
    yield* Ref.set(vault, next)
    yield* CloudManagement.CloudManagement.use((operator) =>
      operator.apiKeys.delete({ organizationId, keyId: ApiKey.ApiKeyId.make(oldId) })
    ).pipe(Effect.provide(CloudManagement.layer({ baseUrl, credentials: next })))
    yield* until((yield* Ref.get(calls)) + 200)
    // a call that failed has ended the load
    if (load.pollUnsafe() !== undefined) yield* Fiber.join(load)
    yield* Fiber.interrupt(load)
  }).pipe(Effect.provide(CloudManagement.layer({ baseUrl, credentials })))

  return `rotated without a failed call, ${yield* Ref.get(reads)} reads`
})

void Effect.runPromise(program.pipe(Effect.provide(NodeTransport.layer))).then(console.log)
