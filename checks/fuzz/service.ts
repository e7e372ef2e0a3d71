/** The service in a thread of its own, with a heap of its own that can be measured. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { parentPort, workerData } from "node:worker_threads"
import * as Audit from "@cloud-management/service/Audit"
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import * as TrustedProxies from "@cloud-management/service/node/TrustedProxies"
import type * as Seed from "@cloud-management/service/Seed"
import * as Service from "@cloud-management/service/Service"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import * as Guesses from "./guesses.ts"
import * as Pauses from "./pauses.ts"
import { origins } from "./Request.ts"

const { pauses, seed }: { readonly pauses: SharedArrayBuffer; readonly seed: Seed.Document } = workerData
Pauses.make(pauses).watch()
const port = parentPort
if (port === null) throw new Error("run this file as a worker")

/** Every entry is made, as in operation; what is no audit record goes to the fuzzer, which takes it for a fault. */
const logger = Logger.map(Logger.formatJson, (line) => {
  if (!line.includes('"audit":')) port.postMessage({ log: line })
})
const limits = { headers: "3 seconds", request: "6 seconds", keepAlive: "1 second" } as const

const main = Effect.gen(function* () {
  const { url } = yield* HttpHost.HttpHost
  yield* Effect.sync(() => {
    port.on("message", () => {
      globalThis.gc?.()
      port.postMessage({ heap: process.memoryUsage().heapUsed })
    })
    port.postMessage({ url })
  })
  return yield* Effect.never
}).pipe(
  Effect.provide(
    HttpHost.layer({ limits, trustedProxies: Option.getOrThrow(TrustedProxies.make([Guesses.trusted])) }).pipe(
      Layer.provide(Service.layer({ audit: Audit.write, corsOrigins: origins })),
      Layer.provide(InMemoryTransport.layerStore(seed)),
      Layer.provide(SecureRandom.layerWebCrypto),
      Layer.provideMerge(Logger.layer([logger]))
    )
  )
)

void Effect.runPromise(main)
