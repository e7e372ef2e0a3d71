/**
 * `npm run bench:delayed`: a PostgreSQL server behind a network that delays. How long `/ready` and a start take where a round
 * trip takes 100 ms, and how many reads a store serves while 40 callers delete one key where it takes 10 ms. Fails over
 * 250 ms for `/ready`, and under 25 % of the reads.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Database from "@cloud-management/service/node/Database"
import * as Seed from "@cloud-management/service/Seed"
import { Store } from "@cloud-management/service/Store"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import { deletion } from "../../packages/service/test/StoreContract.ts"
import { keyId, organizationId, withKeys } from "../fixtures/Tenants.ts"
import * as TcpProxy from "../fixtures/TcpProxy.ts"
import * as Figures from "./figures.ts"

const [caller, read, victim] = [keyId("a", 0), keyId("a", 1), keyId("a", 2)]

const timed = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const start = performance.now()
  const result = yield* effect
  return [Math.round(performance.now() - start), result] as const
})

/** A store behind a network that delivers so many milliseconds late, and how long it took to open. */
const behind = Effect.fnUntraced(function* (url: string, port: number, delay: number) {
  const proxy = yield* TcpProxy.open(port, undefined, { delay })
  const database = Database.layer(url.replace(`:${port}/`, `:${proxy.port}/`))
  const [took, context] = yield* timed(Layer.build(Layer.fresh(database)))
  return [took, Context.get(context, Store)] as const
})

/** How many reads 16 callers get in 3 seconds. */
const reads = (store: Store["Service"]) =>
  Effect.suspend(() => {
    let count = 0
    const one = Effect.tap(store.apiKey(read), () => Effect.sync(() => count++))
    const callers = Effect.replicateEffect(Effect.forever(one), 16, { concurrency: "unbounded", discard: true })
    return Effect.as(Effect.timeoutOption(callers, "3 seconds"), undefined).pipe(Effect.map(() => count))
  })

const run = Effect.gen(function* () {
  const { database, port } = yield* PostgresServer.PostgresServer
  const url = yield* database
  const [, direct] = yield* behind(url, port, 0)
  yield* direct.seed(yield* Seed.fromDocument(withKeys("a", 3)))

  const [start, far] = yield* behind(url, port, 50)
  yield* far.ping
  const [ready] = yield* timed(far.ping)
  console.log(`a round trip of 100 ms: ready in ${ready} ms, opened in ${start} ms`)

  const [, near] = yield* behind(url, port, 5)
  yield* reads(near)
  const alone = yield* reads(near)
  const deleter = Effect.forever(Effect.ignore(near.deleteApiKey(organizationId("a"), victim, caller, deletion)))
  const deleters = yield* Effect.forkChild(
    Effect.replicateEffect(deleter, 40, { concurrency: "unbounded", discard: true })
  )
  const beside = yield* reads(near)
  yield* Fiber.interrupt(deleters)
  const share = Math.round((100 * beside) / alone)
  console.log(`a round trip of 10 ms: ${alone} reads in 3 s, ${beside} beside 40 deleters of one key: ${share} %`)
  Figures.hold("/ready, a round trip of 100 ms", ready, "at most", 250, " ms")
  Figures.hold("reads beside 40 deleters", share, "at least", 25, " %")
}).pipe(Effect.scoped, Effect.provide(PostgresServer.layer))

await Effect.runPromise(run)
