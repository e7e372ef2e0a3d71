/** Many calls against the service behind faults of every kind, in another process. `-- --calls N`, 100,000 by default. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import { Context, Effect, Exit, Layer, Metric, Option, Random, Scope } from "effect"
import { Credentials, Metrics } from "@cloud-management/client"
import { CloudManagement } from "@cloud-management/core"
import { NodeTransport } from "@cloud-management/node"
import { Fixtures } from "@cloud-management/testing"
import { calls, ending } from "../fixtures/Scripted.ts"
import { collect } from "../fixtures/turns.ts"
import type { Told } from "./service.ts"

const { values } = parseArgs({ options: { calls: { type: "string", default: "100000" } } })
const total = Number(values.calls)
const chunk = Math.ceil(total / 10)
const inFlight = 64
/** The engine keeps what it learns of the code for some ten thousand calls: in tenths of the run. */
const warmUp = total < 50_000 ? 5 : 2
/** How much the heap may grow after that, in MB: less than 20 bytes a call. */
const growth = 1.5

// else every address of a connection is looked up by its name
Object.assign(process.report, { excludeNetwork: true })
/** Open resources, by kind: connections also when they do not keep the process alive, as idle ones do not. */
const resources = () => {
  const { libuv }: { readonly libuv: ReadonlyArray<{ readonly type: string }> } = JSON.parse(
    JSON.stringify(process.report.getReport())
  )
  const kinds = process.getActiveResourcesInfo().filter((kind) => kind !== "TCPSocketWrap")
  const all = [...kinds, ...libuv.map(({ type }) => type).filter((type) => type === "tcp")]
  return new Map([...Map.groupBy(all, (kind) => kind)].map(([kind, { length }]) => [kind, length]))
}

const child = fork(new URL("service.ts", import.meta.url))
const told = async (): Promise<Told> => (await once(child, "message"))[0]
const { url = "" } = await told()
console.log("   calls   calls/s   heap MB   sockets")
const before = resources()

let fibers = 0
const counting = Effect.provideService(Metric.FiberRuntimeMetrics, {
  recordFiberStart: () => fibers++,
  recordFiberEnd: () => fibers--
})

const scope = Scope.makeUnsafe()
const client = CloudManagement.layer({
  baseUrl: url,
  credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret),
  deadline: { attempt: "1 second", total: "6 seconds" },
  retry: { base: "2 millis", baseRateLimited: "2 millis", cap: "20 millis" },
  metrics: Metrics.effect
}).pipe(Layer.provide(NodeTransport.layer))
const context = await Effect.runPromise(Layer.buildWithScope(client, scope))
const cloud = Context.get(context, CloudManagement.CloudManagement)

const operations = Object.values(calls).map((call) => call(cloud))

const outcomes = new Map<string, number>()
const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)

/** One call of any operation; one in fifty is broken off after some milliseconds. */
const call = Effect.gen(function* () {
  const operation = operations[yield* Random.nextIntBetween(0, operations.length - 1)] ?? Effect.void
  if ((yield* Random.next) > 0.02) return count(ending(yield* Effect.exit(operation)))
  const broken = yield* Effect.timeoutOption(Effect.exit(operation), yield* Random.nextBetween(0, 10))
  return count(Option.match(broken, { onNone: () => "broken off", onSome: ending }))
})
const run = (calls: number) => {
  let left = calls
  const worker = Effect.whileLoop({ while: () => left-- > 0, body: () => call, step: () => {} })
  const workers = Array.from({ length: inFlight }, () => worker)
  return Effect.runPromise(counting(Effect.all(workers, { concurrency: inFlight, discard: true })))
}

const heaps: Array<number> = []
for (let done = 0; done < total; done += chunk) {
  const start = performance.now()
  const now = Math.min(chunk, total - done)
  await run(now)
  const rate = now / ((performance.now() - start) / 1000)
  await setTimeout(50)
  await collect()
  await collect()
  heaps.push(process.memoryUsage().heapUsed / 1e6)
  const row = [done + now, rate.toFixed(0), heaps.at(-1)?.toFixed(2), resources().get("tcp") ?? 0]
  console.log(row.map((cell, i) => String(cell).padStart(i === 0 ? 8 : 10)).join(""))
}

await Effect.runPromise(Scope.close(scope, Exit.void))
/** How many more there are of each kind than before the first call; connections take a moment to be gone on both ends. */
const leftOf = async (): Promise<ReadonlyArray<readonly [kind: string, count: number]>> => {
  child.send("sockets?")
  const { sockets = NaN } = await told()
  const more = [...resources()].map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)] as const)
  const all = [["fibers", fibers], ["sockets of the service", sockets], ...more] as const
  return all.filter(([, count]) => count !== 0 && !(count < 0))
}
let left = await leftOf()
for (let tries = 0; tries < 400 && left.length > 0; tries++) {
  await setTimeout(50)
  left = await leftOf()
}
child.disconnect()
await once(child, "exit")

for (const [outcome, number] of [...outcomes].toSorted(([, a], [, b]) => b - a)) {
  console.log(`${String(number).padStart(8)}  ${outcome}`)
}
const things = left.map(([kind, count]) => `${count} ${kind}`).join(", ")
console.log(`\nleft: ${things || "no socket, fiber or timer"}`)
const warm = heaps.slice(warmUp)
// what grows stays: a peak that goes away is none of the calls'
const grown = Math.min(...warm.slice(-2)) - (warm[0] ?? NaN)
console.log(`heap at the end: ${grown.toFixed(2)} MB more than after the warm-up (allowed: ${growth})`)

const ended = [...outcomes.values()].reduce((sum, number) => sum + number, 0)
const problems = [
  ended !== total && `${total - ended} calls did not end`,
  outcomes.has("defect") && "a call died",
  (outcomes.get("ok") ?? 0) < total / 3 && "hardly a call succeeded",
  left.length > 0 && "something is left",
  grown > growth && "the heap grows"
].filter((problem) => problem !== false)
console.log(problems.length === 0 ? "ok" : `FAILED: ${problems.join(", ")}`)
process.exitCode = problems.length === 0 ? 0 : 1
