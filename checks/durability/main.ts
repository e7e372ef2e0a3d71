/**
 * `npm run test:durability`: `serve` on a SQLite file is killed with SIGKILL 20 times while it deletes keys, and started
 * again on the file that is left. `npm run test:durability -- 100` kills it more often.
 */
import * as Effect from "effect/Effect"
import * as Durability from "./run.ts"

const kills = Number(process.argv[2] ?? 20)
const { acknowledged, damaged, lost, unanswered, vanished } = await Effect.runPromise(
  Effect.scoped(Durability.run(kills))
)
console.log(
  `${kills} kills, ${acknowledged} acknowledged deletes, lost: ${lost.size} (${unanswered} unanswered, ` +
    `keys that nobody deleted and that are gone: ${vanished.size}, damaged files: ${damaged.length})`
)
process.exitCode = lost.size + vanished.size + damaged.length === 0 ? 0 : 1
