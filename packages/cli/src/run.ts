import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import process from "node:process"
import * as Layer from "effect/Layer"
import * as Cli from "./Cli.ts"
import * as Output from "./output.ts"
import * as Terminal from "./terminal.ts"

let isStopped = false
process.once("SIGTERM", () => (isStopped = true))

const isServe = Cli.isServe(process.argv.slice(2))

/** The command. Only `serve` goes on when nobody reads what it prints: its result is the service. */
const main = Effect.gen(function* () {
  if (isServe) return yield* Cli.program
  const failure = yield* Output.deliver(Cli.program)
  if (failure === undefined) return
  yield* Cli.report(failure)
  return yield* failure
})

main.pipe(
  Effect.provide(Layer.mergeAll(NodeServices.layer, Terminal.layer)),
  NodeRuntime.runMain({
    // a service that was told to stop, and did, has done what it was asked for
    teardown: (exit, onExit) =>
      Runtime.defaultTeardown(exit, (code) => onExit(code === 130 && isStopped && isServe ? 0 : code))
  })
)
