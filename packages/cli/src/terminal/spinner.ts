import { Console, Duration, Effect } from "effect"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import process from "node:process"
import * as Foreign from "../output/foreign.ts"
import * as Format from "../output/Format.ts"

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const erase = "\r\u001b[2K"

/** Nothing is shown before. */
const patience = Duration.seconds(1)

/** On one line of stderr's terminal, which disappears at the end. Lines written meanwhile appear above it. */
export const during =
  (label: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Effect.Services<typeof Format.Quiet>> =>
    Effect.gen(function* () {
      if ((yield* Format.Quiet) || !(yield* TerminalCapabilities).canAnimate) return yield* effect
      const console = yield* Console.Console
      let drawn = false
      const clear = () => {
        if (drawn) process.stderr.write(erase)
        drawn = false
      }
      const draw = (frame: number) => {
        const seconds = Math.floor((frame * 100 + Duration.toMillis(patience)) / 1000)
        // one column less than there are: a line that wraps is not erased
        const line = Array.from(`${frames[frame % frames.length]} ${seconds}s  ${Foreign.clean(label)}`)
        process.stderr.write(erase + line.slice(0, Math.max(0, process.stderr.columns - 1)).join(""))
        drawn = true
      }
      const spin = Effect.gen(function* () {
        yield* Effect.sleep(patience)
        for (let frame = 0; ; frame++) {
          draw(frame)
          yield* Effect.sleep("100 millis")
        }
      })
      const above =
        (name: "log" | "error") =>
        (...texts: ReadonlyArray<unknown>) => {
          clear()
          console[name](...texts)
        }
      // oxlint-disable-next-line typescript/no-misused-spread -- the console of a platform needs no prototype
      const apart: Console.Console = { ...console, log: above("log"), error: above("error") }
      return yield* Effect.provideService(effect, Console.Console, apart).pipe(
        Effect.raceFirst(spin),
        Effect.ensuring(Effect.sync(clear))
      )
    })
