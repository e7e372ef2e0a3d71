/**
 * `npm run simulate -- --seeds 10000`: runs of the simulation, each from its own seed, over all cores. It catches an order of events
 * in which client or service breaks one of their rules. `--seed N` replays one and prints its trace. A violation prints its seed and trace, and the exit code is 1.
 */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { replay, simulate } from "./simulate.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    workers: { type: "string", default: String(availableParallelism()) }
  }
})
const violations =
  values.seed === undefined
    ? await simulate(Number(values.from), Number(values.seeds), Number(values.workers))
    : await replay(Number(values.seed))
process.exitCode = violations === 0 ? 0 : 1
