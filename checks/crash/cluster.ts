/**
 * `npm run test:cluster -- --seconds 45`: three nodes over one PostgreSQL, behind nginx with the documented configuration,
 * under a load of the client, while nodes are killed and the database is restarted. It catches what
 * only a crash in the middle of a request, or a node that does not come back, brings to light. `--seed N` draws the same
 * races, and kills after the same pauses.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import * as Balancer from "./Balancer.ts"
import * as Lab from "./lab.ts"
import * as Scenarios from "./scenarios.ts"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import * as Program from "../fixtures/Program.ts"

const { values } = parseArgs({ options: { seconds: { type: "string" }, seed: { type: "string" } } })
const seconds = Number(values.seconds ?? 45)
const seed = values.seed ?? String(Date.now() % 1_000_000)

const span = (millis: number) => (millis < 1000 ? `${millis.toFixed(0)} ms` : `${(millis / 1000).toFixed(1)} s`)
const spans = (all: ReadonlyArray<number>) => {
  const sorted = all.toSorted((a, b) => a - b)
  return `median ${span(sorted[Math.floor(sorted.length / 2)] ?? NaN)}, at most ${span(sorted.at(-1) ?? NaN)}`
}

const row = (name: string, text: string) => console.log(`${name.padEnd(30)} ${text}`)

const test = Effect.gen(function* () {
  const start = performance.now()
  // what comes before and after the load takes its time too, on a busy machine above all
  const report = yield* Effect.timeout(Scenarios.cluster(seconds, seed), `${seconds + 180} seconds`)
  const { acknowledged, errors, kills, lost, recovery, requests, restarts, wrong } = report
  const isWrong = Lab.complain(report)

  const failures = [...errors.values()].reduce((sum, count) => sum + count, 0)
  const kinds = [...errors].toSorted(([, a], [, b]) => b - a).map(([kind, count]) => `${kind}: ${count}`)
  row("three nodes behind", `${Balancer.nginx.version}, over ${PostgresServer.version}`)
  row("races among keys", String(report.races))
  row("calls", `${report.calls}, client-visible errors: ${failures}${failures === 0 ? "" : ` (${kinds.join(", ")})`}`)
  row("deletes", `${acknowledged} acknowledged (${report.assumed} assumed), ${report.unknown} of unknown outcome`)
  row("nodes ended", `${kills} with SIGKILL, ${report.stops} with SIGTERM`)
  row("from a kill to a success", spans(recovery.afterKills))
  row("until the node was back", spans(recovery.ofNodes))
  row("database restarts", `${restarts}: ${spans(recovery.ofDatabase)}`)
  row("longest without a success", spans(recovery.silences))
  const took = ((performance.now() - start) / 1000).toFixed(0)
  console.log(
    `${requests} requests, ${acknowledged} acknowledged deletes, ${kills} kills, ${restarts} database restarts, ` +
      `client-visible errors: ${failures}, lost: ${lost.length}, wrong: ${wrong.length} (${took} s, seed ${seed})`
  )
  return !isWrong && acknowledged > 0 && kills > 0 && restarts > 0
}).pipe(Effect.scoped, Effect.provide(PostgresServer.layer))

if (Program.isThere("postgres", "nginx")) process.exitCode = (await Effect.runPromise(test)) ? 0 : 1
