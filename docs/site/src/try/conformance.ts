/** Runs the conformance cases over the service in memory. */
import { Conformance, ConformanceService, InMemoryTransport } from "@cloud-management/testing"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"

const cases = Conformance.cases("http://in-memory")

const program = Effect.gen(function* () {
  let failed = 0
  for (const { effect, name, section } of cases) {
    const exit = yield* Effect.exit(effect)
    if (Exit.isFailure(exit)) failed++
    yield* Console.log(`${section}: ${name}: ${Exit.isSuccess(exit) ? "passed" : Cause.pretty(exit.cause)}`)
  }
  const said = `${cases.length} cases, ${failed} failed`
  if (failed > 0) return yield* Effect.die(said)
  yield* Console.log(said)
})

await Effect.runPromise(
  program.pipe(Effect.provide(InMemoryTransport.layerService.pipe(Layer.provide(ConformanceService.layer))))
)
