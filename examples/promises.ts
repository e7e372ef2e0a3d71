/**
 * For callers that do not use Effect: one `ManagedRuntime` for the life of the application, and a function that returns
 * a promise.
 */
import { CloudManagement } from "@cloud-management/core"
import { NodeTransport } from "@cloud-management/node"
import { Effect, Layer, ManagedRuntime } from "effect"

const runtime = ManagedRuntime.make(CloudManagement.layerConfig().pipe(Layer.provide(NodeTransport.layer)))

export const organizationName = (signal?: AbortSignal): Promise<string | undefined> =>
  runtime.runPromise(
    Effect.gen(function* () {
      const cloud = yield* CloudManagement.CloudManagement
      const [organization] = yield* cloud.organizations.list()
      return organization.name
    }),
    signal === undefined ? {} : { signal }
  )

console.log(await organizationName())
await runtime.dispose()
