/**
 * `npm run check cluster -- --seconds 45`: three nodes over one PostgreSQL, behind nginx with the documented configuration,
 * under a load of the client, while nodes are killed and the database is restarted. It catches what
 * only a crash in the middle of a request, or a node that does not come back, brings to light. `--seed N` draws the same
 * races, and kills after the same pauses.
 */
import { Effect, Random } from "effect"
import { parseArgs } from "node:util"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Program from "../fixtures/Program.ts"
import * as Balancer from "./Balancer.ts"
import * as Chaos from "./chaos.ts"
import * as Journal from "./Journal.ts"
import * as Lab from "./lab.ts"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "45" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) }
  }
})
const { seed } = values
const seconds = Number(values.seconds)

const span = (millis: number) => (millis < 1000 ? `${millis.toFixed(0)} ms` : `${(millis / 1000).toFixed(1)} s`)
const spans = (all: ReadonlyArray<number>) => {
  const sorted = all.toSorted((a, b) => a - b)
  return `median ${span(sorted[Math.floor(sorted.length / 2)] ?? NaN)}, at most ${span(sorted.at(-1) ?? NaN)}`
}

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
        Random.withSeed(Chaos.restartNodes(nodes, performance.now() + seconds * 1000), `${seed} nodes`),
        Random.withSeed(Chaos.restartDatabase(server, times, seconds), `${seed} database`)
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
  row("three nodes behind", `${Balancer.nginx.version}, over ${PostgresServer.version}`)
  row("races among keys", String(report.races))
  row("calls", `${report.calls}, client-visible errors: ${kinds.join(", ")}`)
  row("deletes", `${report.acknowledged} acknowledged, ${report.assumed} of them assumed`)
  row("nodes ended", `${kills.length} with SIGKILL, ${ended.length - kills.length} with SIGTERM`)
  row("from a kill to a success", spans(kills.map(({ from }) => Journal.recovery(from, served))))
  row("until the node was back", spans(kills.map(({ from, to }) => to - from)))
  row("database restarts", `${restarts.length}: ${spans(restarts.map(({ from, to }) => to - from))}`)
  row("longest without a success", spans(restarts.map((outage) => Journal.silence(outage, served))))
  const isQuiet = kills.length === 0 || restarts.length === 0
  Lab.conclude("the cluster", report, isQuiet ? ["no node was killed, or the database was not restarted"] : [])
}).pipe(Effect.scoped, Effect.provide(PostgresServer.layer))

if (Program.isThere("postgres", "nginx")) await Effect.runPromise(test)
