/** Logs so many entries, says so on stdout, and logs one more at the end of its input. */
import { Effect, Option } from "effect"
import { once } from "node:events"
import process from "node:process"
import * as Format from "../src/output/Format.ts"
import * as Logging from "../src/output/Logging.ts"

process.stderr.on("error", () => process.stdout.write("failed\n"))
const entries = Number(process.argv[2])
const main = Effect.gen(function* () {
  for (let n = 0; n < entries; n++) {
    yield* Effect.annotateLogs(Effect.logWarning(`entry ${n} of a flood`), { audit: "authentication.failed" })
    // so that what can be written is written
    if (n % 100 === 0) yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
  }
  process.stdout.write("logged\n")
  yield* Effect.promise(() => once(process.stdin.resume(), "end"))
  yield* Effect.logWarning("the end")
})

await Logging.within(main).pipe(
  Effect.provideService(Logging.LogFormat, Option.some("json" as const)),
  Effect.provideService(Format.Quiet, false),
  Effect.runPromise
)
