/** The service without the packages that only some of its modules need, and the commands that these ask for. */
import { MemoryStore, Service, WebHandler } from "@cloud-management/service"
import * as Database from "@cloud-management/service/node/Database"
import * as RedisRateLimitStore from "@cloud-management/service/node/RedisRateLimitStore"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"

const service = Service.layer().pipe(Layer.provide(MemoryStore.layer), Layer.provide(SecureRandom.layerWebCrypto))
const { handler } = WebHandler.make(service, { remoteAddress: () => undefined })
const { status } = await handler(new Request("http://service/health"))

const command = (layer) =>
  Layer.build(layer).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map(({ message }) => message.replace(/^.*: /, ""))
  )
const commands = [Database.layer("postgres://service@127.0.0.1/cloud"), RedisRateLimitStore.layer("redis://127.0.0.1")]
console.log([status, ...(await Effect.runPromise(Effect.all(commands.map(command))))].join("; "))
