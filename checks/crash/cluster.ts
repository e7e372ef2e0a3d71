/** `--seconds N`, 45 by default; `--seed N` draws the same races, and kills after the same pauses. */
import { Effect, Random } from "effect"
import type { Node, Signal } from "./Deployment.ts"
import { parseArgs } from "node:util"
import * as Figures from "../bench/figures.ts"
import { PostgresServer, Program } from "../fixtures/index.ts"
import * as Balancer from "./Balancer.ts"
import type { Interval } from "../simulation/src/SerialOrder.ts"
import * as Journal from "./Journal.ts"
import * as Lab from "./lab.ts"

const pause = (least: number, most: number) => Effect.flatMap(Random.nextBetween(least, most), Effect.sleep)

const signals: ReadonlyArray<Signal> = ["SIGKILL", "SIGKILL", "SIGKILL", "SIGTERM"]

/** Ends nodes and starts them again until that moment, up to two at a time; one is always there, and all in the end. */
const restartNodes = Effect.fnUntraced(function* (nodes: ReadonlyArray<Node>, until: number) {
  const outages: Array<Interval & { readonly signal: Signal }> = []
  const up = new Set(nodes)
  const killer = Effect.gen(function* () {
    for (;;) {
      yield* pause(100, 1500)
      if (performance.now() > until) return
      if (up.size === 1) continue
      const victim = yield* Random.choice(up)
      const signal = yield* Random.choice(signals)
      up.delete(victim)
      const begun = performance.now()
      yield* victim.stop(signal)
      yield* pause(0, 1000)
      yield* victim.start
      up.add(victim)
      outages.push({ begun, ended: performance.now(), signal })
    }
  })
  yield* Effect.all([killer, killer], { concurrency: 2 })
  return outages
})

/** Restarts the database so many times in as many seconds, every other time without a farewell to anybody. */
const restartDatabase = Effect.fnUntraced(function* (
  server: PostgresServer.PostgresServer["Service"],
  times: number,
  seconds: number
) {
  const outages: Array<Interval> = []
  const start = performance.now()
  for (let n = 0; n < times; n++) {
    const at = start + ((n + (yield* Random.nextBetween(0.2, 0.7))) / times) * seconds * 1000
    yield* Effect.sleep(Math.max(0, at - performance.now()))
    const begun = performance.now()
    yield* server.stop(n % 2 === 0 ? "SIGQUIT" : "SIGINT")
    yield* pause(0, 1000)
    yield* server.start
    outages.push({ begun, ended: performance.now() })
  }
  return outages
})

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "45" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) }
  }
})
const { seed } = values
const seconds = Number(values.seconds)

const span = (millis: number) => (millis < 1000 ? `${millis.toFixed(0)} ms` : `${(millis / 1000).toFixed(1)} s`)
const spans = (all: ReadonlyArray<number>) =>
  `median ${span(Figures.median(all))}, at most ${span(Figures.percentile(all, 1))}`

const row = (name: string, text: string) => console.log(`${name.padEnd(30)} ${text}`)

const test = Effect.gen(function* () {
  const server = yield* PostgresServer.PostgresServer
  const database = yield* server.database
  // more races than a fast machine gets through
  const plan = { seed, database, nodes: 3, isBalanced: true, races: 30 * seconds, atOnce: 16, pause: 0, asks: true }
  const times = Math.max(2, Math.round(seconds / 12))
  const { lab, result, ...report } = yield* Lab.run(plan, ({ cluster: { nodes } }) =>
    Effect.all(
      [
        Random.withSeed(restartNodes(nodes, performance.now() + seconds * 1000), `${seed} nodes`),
        Random.withSeed(restartDatabase(server, times, seconds), `${seed} database`)
      ],
      { concurrency: "unbounded" }
    )
  ).pipe(
    // what comes before and after the load takes its time too, on a busy machine above all
    Effect.timeout(`${seconds + 180} seconds`)
  )
  const [ended, restarts] = result
  const { served } = lab.journal
  const kills = ended.filter(({ signal }) => signal === "SIGKILL")
  const kinds = [...report.errors].toSorted(([, a], [, b]) => b - a).map(([kind, count]) => `${kind}: ${count}`)
  row("three nodes behind", `${Balancer.nginx.version()}, over ${PostgresServer.version()}`)
  row("races among keys", String(report.races))
  row("calls", `${report.calls}, client-visible errors: ${kinds.join(", ")}`)
  row("deletes", `${report.acknowledged} acknowledged, ${report.assumed} of them assumed`)
  row("nodes ended", `${kills.length} with SIGKILL, ${ended.length - kills.length} with SIGTERM`)
  row("from a kill to a success", spans(kills.map(({ begun }) => Journal.recovery(begun, served))))
  row("until the node was back", spans(kills.map(({ begun, ended }) => ended - begun)))
  row("database restarts", `${restarts.length}: ${spans(restarts.map(({ begun, ended }) => ended - begun))}`)
  row("longest without a success", spans(restarts.map((outage) => Journal.silence(outage, served))))
  const isQuiet = kills.length === 0 || restarts.length === 0
  Lab.conclude("the cluster", report, isQuiet ? ["no node was killed, or the database was not restarted"] : [])
}).pipe(Effect.scoped, Effect.provide(PostgresServer.layer))

if (Program.isThere("postgres", "nginx")) await Effect.runPromise(test)
