/** `npm run check runtimes deno` runs the rows whose names contain one of the words. */
import { execFileSync } from "node:child_process"
import { Cause, Console, Duration, Effect } from "effect"
import * as Program from "../fixtures/Program.ts"
import * as Rows from "../fixtures/Rows.ts"
import * as Runtime from "./Runtime.ts"
import { rows } from "./rows.ts"

// apart from the others, since what they import is installed only now
execFileSync("npx", ["tsc", "-p", "checks/runtimes"], { stdio: "inherit" })

const hasChromium = Program.isThere("chromium")
const chosen = Rows.chosen(rows).filter(({ isPage }) => hasChromium || isPage !== true)

const width = Math.max(...rows.map(({ name }) => name.length))
const line = (name: string, ...cells: ReadonlyArray<string | number>) =>
  [name.padEnd(width), ...cells.map((cell) => String(cell).padStart(8))].join("")

const program = Effect.gen(function* () {
  const notes = new Map<string, Array<string>>()
  const note = (text: string, name: string) => notes.set(text, [...(notes.get(text) ?? []), name])
  const total = { passed: 0, failed: 0 }
  yield* Console.log(line("runtime", "cases", "passed", "failed", "seconds"))
  for (const { name, results } of chosen) {
    const [duration, outcomes] = yield* Effect.scoped(results).pipe(
      Effect.timeout("10 minutes"),
      Effect.catchCause((cause) => Effect.succeed([{ name: "the row", failure: Cause.pretty(cause) }])),
      Effect.timed
    )
    let failed = 0
    for (const { failure, ...result } of outcomes) {
      if (failure === undefined) continue
      failed++
      note(`${result.name}\n  ${failure}`, name)
    }
    const passed = outcomes.length - failed
    yield* Console.log(line(name, outcomes.length, passed, failed, Duration.toSeconds(duration).toFixed(1)))
    total.passed += passed
    total.failed += failed
  }
  for (const [text, names] of notes) yield* Console.log(`\n${text}\n  (${names.join("; ")})`)
  yield* Console.log(`\n${total.passed} passed, ${total.failed} failed`)
  return total
})

const { failed, passed } = await Effect.runPromise(Effect.provide(program, Runtime.layerChromium))
if (failed > 0 || passed === 0) process.exitCode = 1
