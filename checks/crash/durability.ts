/**
 * `npm run check durability`: `serve` on a SQLite file is killed with SIGKILL 20 times under a load that deletes keys, and
 * started again on the file that is left. It catches what is acknowledged before it is on the disk.
 * `npm run check durability 100` kills it more often.
 */
import { Effect } from "effect"
import * as Lab from "./lab.ts"
import * as Scenarios from "./scenarios.ts"

const kills = Number(process.argv[2] ?? 20)
const report = await Effect.runPromise(Effect.scoped(Scenarios.kills(kills, String(Date.now()))))
const problems = report.acknowledged < kills ? ["fewer deletions than kills were acknowledged"] : []
Lab.conclude(`${kills} kills`, report, problems)
