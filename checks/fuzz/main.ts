/**
 * `npm run check fuzz -- --requests 200000`: requests of every kind over raw sockets and over an HTTP client, most of them
 * valid, with the answer that a model has for each, the others malformed. It catches a wrong
 * answer, one that shows what is not the caller's, a crash, and memory that grows. `--seed N` sends the same ones again.
 */
import { parseArgs } from "node:util"
import { run } from "./run.ts"

const { values } = parseArgs({ options: { requests: { type: "string" }, seed: { type: "string" } } })
const requests = Number(values.requests ?? 20_000)
const seed = Number(values.seed ?? Date.now() % 1_000_000)

const start = performance.now()
const { guesses, heapGrowth, late, malformed, overClient, sent, wrong } = await run({ requests, seed })
for (const problem of wrong.slice(0, 10)) console.log(`${problem}\n`)
const seconds = ((performance.now() - start) / 1000).toFixed(0)
const growth = (heapGrowth / 2 ** 20).toFixed(1)
console.log(
  `sent ${sent} (${malformed} malformed, ${overClient} over a client, ${guesses} guesses), wrong: ${wrong.length}, ${late} late after a pause, heap growth ${growth} MiB ` +
    `(${seconds} s, seed ${seed})`
)
// with more of them the run shows little
const isWhole = late < sent / 100
process.exitCode = wrong.length === 0 && isWhole && heapGrowth < 32 * 2 ** 20 ? 0 : 1
