/** The service without the package that only PostgreSQL needs, and the command that it asks for. */
import { MemoryStore, CloudService, WebHandler } from "@cloud-management/service"
import * as Database from "@cloud-management/service/node/Database"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"

const service = CloudService.layer().pipe(Layer.provide(MemoryStore.layer), Layer.provide(SecureRandom.layerWebCrypto))
const { handler } = WebHandler.make(service, { remoteAddress: () => undefined })
const { status } = await handler(new Request("http://service/health"))

const { message } = await Layer.build(Database.layer("postgres://service@127.0.0.1/cloud")).pipe(
  Effect.scoped,
  Effect.flip,
  Effect.runPromise
)
console.log(`${status}; ${message.replace(/^.*: /, "")}`)
