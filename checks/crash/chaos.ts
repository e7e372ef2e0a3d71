import { Effect, Random } from "effect"
import type { PostgresServer } from "../fixtures/PostgresServer.ts"
import type { Node, Signal } from "./Node.ts"

export interface Outage {
  readonly from: number
  readonly to: number
}

const pause = (least: number, most: number) => Effect.flatMap(Random.nextBetween(least, most), Effect.sleep)

const signals: ReadonlyArray<Signal> = ["SIGKILL", "SIGKILL", "SIGKILL", "SIGTERM"]

/** Ends nodes and starts them again until that moment, up to two at a time; one is always there, and all in the end. */
export const restartNodes = Effect.fnUntraced(function* (nodes: ReadonlyArray<Node>, until: number) {
  const outages: Array<Outage & { readonly signal: Signal }> = []
  const up = new Set(nodes)
  const killer = Effect.gen(function* () {
    for (;;) {
      yield* pause(100, 1500)
      if (performance.now() > until) return
      if (up.size === 1) continue
      const victim = yield* Random.choice(up)
      const signal = yield* Random.choice(signals)
      up.delete(victim)
      const from = performance.now()
      yield* victim.stop(signal)
      yield* pause(0, 1000)
      yield* victim.start
      up.add(victim)
      outages.push({ from, to: performance.now(), signal })
    }
  })
  yield* Effect.all([killer, killer], { concurrency: 2 })
  return outages
})

/** Restarts the database so many times in as many seconds, every other time without a farewell to anybody. */
export const restartDatabase = Effect.fnUntraced(function* (
  server: PostgresServer["Service"],
  times: number,
  seconds: number
) {
  const outages: Array<Outage> = []
  const begun = performance.now()
  for (let n = 0; n < times; n++) {
    const at = begun + ((n + (yield* Random.nextBetween(0.2, 0.7))) / times) * seconds * 1000
    yield* Effect.sleep(Math.max(0, at - performance.now()))
    const from = performance.now()
    yield* server.stop(n % 2 === 0 ? "SIGQUIT" : "SIGINT")
    yield* pause(0, 1000)
    yield* server.start
    outages.push({ from, to: performance.now() })
  }
  return outages
})

/**
 * Kills a node so many times, each time once some deletions were acknowledged, and starts it again. Meanwhile it looks at
 * what is left of the database.
 */
export const kill = Effect.fnUntraced(function* (
  node: Node,
  times: number,
  deletions: ReadonlyArray<unknown>,
  look: Effect.Effect<unknown>
) {
  for (let n = 0; n < times; n++) {
    const enough = deletions.length + (yield* Random.nextIntBetween(1, 40))
    while (deletions.length < enough) yield* Effect.sleep("2 millis")
    yield* node.stop("SIGKILL")
    yield* look
    yield* node.start
  }
})
