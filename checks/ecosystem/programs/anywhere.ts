/** Runs anywhere: first the conformance cases in memory, on the service itself, then the program. */
import { FetchTransport } from "@cloud-management/browser"
import { Conformance, ConformanceService, InMemoryTransport } from "@cloud-management/testing"
import { Effect, Layer } from "effect"
import { program } from "./program.ts"

const memory = InMemoryTransport.layerService.pipe(Layer.provide(ConformanceService.layer))
const cases = Effect.forEach(Conformance.cases("http://in-memory"), ({ effect }) => effect)

void Effect.runPromise(
  Effect.provide(cases, memory).pipe(Effect.andThen(Effect.provide(program, FetchTransport.layer)))
).then(console.log)
