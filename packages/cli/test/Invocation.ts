import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, ConfigProvider, Console, Effect, Exit, Layer, Option, Queue, Runtime, Stdio, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Cli from "../src/Cli.ts"
import { forPeople, type Ended } from "../../../checks/fixtures/Child.ts"

const exitCode = Exit.match({
  onSuccess: () => 0,
  onFailure: (cause: Cause.Cause<unknown>) =>
    Cause.hasInterruptsOnly(cause) ? 130 : Runtime.getErrorExitCode(Cause.squash(cause))
})

/** A terminal on which someone presses keys; as in Node's, Ctrl+C ends the input. */
const pressing = (
  keys: ReadonlyArray<Partial<Terminal.Key> & { readonly name: string }>,
  display: (text: string) => Effect.Effect<void>
) =>
  Layer.succeed(
    Terminal.Terminal,
    Terminal.make({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      size: Effect.never,
      readInput: Effect.gen(function* () {
        const queue = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
        for (const key of keys) {
          yield* key.ctrl === true
            ? Queue.end(queue)
            : Queue.offer(queue, {
                input: Option.some(key.name),
                key: { ctrl: false, meta: false, shift: false, ...key }
              })
        }
        return queue
      }),
      readLine: Effect.die("not asked"),
      display
    })
  )

/** Runs the command in this process: for the many cases that end before a service is asked. */
export const run = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  keys?: Parameters<typeof pressing>[0],
  program: Effect.Effect<void, unknown, Effect.Services<typeof Cli.program>> = Cli.program
): Effect.fn.Return<Ended & { readonly questions?: string }> {
  let stdout = ""
  let stderr = ""
  let questions = ""
  const captured: Console.Console = Object.assign(Object.create(console), {
    log: (...texts: ReadonlyArray<unknown>) => (stdout += `${texts.join(" ")}\n`),
    error: (...texts: ReadonlyArray<unknown>) => (stderr += `${texts.join(" ")}\n`)
  })
  const surroundings = Layer.mergeAll(
    Stdio.layerTest({ args: Effect.succeed(args) }),
    keys === undefined ? Layer.empty : pressing(keys, (text) => Effect.sync(() => (questions += text))),
    ConfigProvider.layer(ConfigProvider.fromEnv({ env: { XDG_CONFIG_HOME: "/nowhere", ...forPeople(args), ...env } })),
    Layer.succeed(Console.Console, captured),
    Layer.succeed(TerminalCapabilities, { canColor: false, canAnimate: false, canPrompt: keys !== undefined })
  )
  const exit = yield* Effect.exit(program).pipe(Effect.provide(Layer.provideMerge(surroundings, NodeServices.layer)))
  return { code: exitCode(exit), stdout, stderr, ...(keys !== undefined && { questions }) }
})
