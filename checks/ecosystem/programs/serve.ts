import { CloudService } from "@cloud-management/service"
import { Database, HttpHost } from "@cloud-management/service/node"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"

const host = HttpHost.layer({ port: Number(process.env["PORT"] ?? 8080) }).pipe(
  Layer.provide(CloudService.layer()),
  Layer.provide(Database.layer("cloud.db")),
  Layer.provide(SecureRandom.layerWebCrypto)
)
const program = Effect.gen(function* () {
  const { url } = yield* HttpHost.HttpHost
  yield* Console.log(`Listening on ${url}`)
  return yield* Effect.never
})

NodeRuntime.runMain(Effect.provide(program, host))
