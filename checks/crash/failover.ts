/**
 * `npm run test:failover`: three nodes over PostgreSQL with a synchronous standby under Patroni and etcd, behind HAProxy,
 * under a load of the client, while the primary is killed, frozen, partitioned and switched over; and what is lost without
 * synchronous mode, and without fencing. It catches a configuration that acknowledges what a failover loses. `--seed N` draws the same races.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import * as Balancer from "./Balancer.ts"
import * as Program from "../fixtures/Program.ts"
import * as Patroni from "./Patroni.ts"
import { run } from "./underPatroni.ts"
import * as Lab from "./lab.ts"

const { values } = parseArgs({ options: { seed: { type: "string" } } })
const seed = values.seed ?? String(Date.now() % 1_000_000)
const start = performance.now()
const elapsed = () => `${((performance.now() - start) / 1000).toFixed(0)} s`

const seconds = (millis: number) => `${(millis / 1000).toFixed(1)} s`.padStart(12)
const row = (name: string, ...cells: ReadonlyArray<string>) => console.log(name.padEnd(50), ...cells)

const test = Effect.gen(function* () {
  const report = yield* run(seed, (fault) => console.error(`${elapsed()}: ${fault}`))
  const { acknowledged, errors, lost, outcomes, requests, withoutFencing, wrong } = report
  const isWrong = Lab.complain(report)

  const failures = [...errors.values()].reduce((sum, count) => sum + count, 0)
  console.log(`three nodes behind ${Balancer.nginx.version}, over ${Patroni.versions().join(", ")}`)
  row("", ...["new primary", "whole again", "no response", "no deletion"].map((title) => title.padStart(12)))
  for (const { name, promoted, whole, withoutAnswer, withoutDeletion } of outcomes) {
    row(name, ...[promoted, whole, withoutAnswer, withoutDeletion].map(seconds))
  }
  const fenced = withoutFencing.fenced.reduce((sum, { letIn }) => sum + letIn, 0)
  const { withoutSynchronousMode, withSynchronousMode } = report
  row("", ...["acknowledged", "let in later"].map((title) => title.padStart(12)))
  const few = (name: string, deletions: number, letIn: number) =>
    row(name, ...[deletions, letIn].map((count) => String(count).padStart(12)))
  few("Patroni killed, nodes behind HAProxy", withoutFencing.direct.acknowledged, fenced)
  few(
    "without fencing: a node connected to the old primary",
    withoutFencing.direct.acknowledged,
    withoutFencing.direct.letIn
  )
  few("replication hangs, then kill -9", withSynchronousMode.acknowledged, withSynchronousMode.letIn)
  few("without synchronous mode: the same", withoutSynchronousMode.acknowledged, withoutSynchronousMode.letIn)
  console.log(
    `${requests} requests, ${acknowledged} acknowledged deletes, ${report.unknown} of unknown outcome, ` +
      `client-visible errors: ${failures}, lost: ${lost.length}, wrong: ${wrong.length} (${elapsed()}, seed ${seed})`
  )
  const problems = [
    ...(acknowledged === 0 ? ["no deletion was acknowledged, so nothing was shown"] : []),
    ...(fenced > 0 ? ["a key was let in by a node behind HAProxy after its deletion was acknowledged"] : []),
    ...(withSynchronousMode.letIn > 0 ? ["synchronous mode lost a deletion"] : []),
    ...(withoutFencing.direct.letIn === 0 ? ["nothing went wrong without fencing: the documents say otherwise"] : []),
    ...(withoutSynchronousMode.letIn === 0
      ? ["nothing was lost without synchronous mode: the documents say otherwise"]
      : [])
  ]
  for (const problem of problems) console.log(problem)
  return !isWrong && problems.length === 0
}).pipe(Effect.scoped, Effect.timeout("12 minutes"))

if (Program.isThere(...Patroni.programs, "nginx")) process.exitCode = (await Effect.runPromise(test)) ? 0 : 1
