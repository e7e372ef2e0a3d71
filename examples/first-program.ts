/**
 * The smallest program: who am I? Reads CLOUD_MANAGEMENT_BASE_URL, CLOUD_MANAGEMENT_KEY_ID and
 * CLOUD_MANAGEMENT_KEY_SECRET from the environment.
 */
import { CloudManagement } from "@cloud-management/core"
import { NodeTransport } from "@cloud-management/node"
import { Console, Effect, Layer } from "effect"

const program = Effect.gen(function* () {
  const cloud = yield* CloudManagement.CloudManagement
  const [organization] = yield* cloud.organizations.list()
  yield* Console.log(`This key belongs to ${organization.name ?? organization.id}`)
})

const layer = CloudManagement.layerConfig().pipe(Layer.provide(NodeTransport.layer))

await Effect.runPromise(program.pipe(Effect.provide(layer)))
