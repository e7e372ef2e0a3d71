/** Runs an example or the conformance cases in a worker of its own, whose console is theirs. */
import { Conformance, ConformanceService, InMemoryTransport } from "@cloud-management/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"

/** What the worker reports. */
export type Report =
  | { readonly _tag: "Line"; readonly text: string }
  | { readonly _tag: "Case"; readonly section: string; readonly name: string; readonly failure: string | undefined }
  | { readonly _tag: "Done" }
  | { readonly _tag: "Failed"; readonly text: string }

const examples = import.meta.glob(
  "../../../../examples/{credentials,errors,first-program,lost-response,own-errors,own-operation,waiting}.ts"
)

const report = (one: Report) => postMessage(one)

console.log = (...texts: ReadonlyArray<unknown>) => report({ _tag: "Line", text: texts.join(" ") })

const conformance = Effect.gen(function* () {
  for (const { effect, name, section } of Conformance.cases("http://in-memory")) {
    const exit = yield* Effect.exit(effect)
    report({ _tag: "Case", section, name, failure: Exit.isSuccess(exit) ? undefined : String(exit.cause) })
  }
}).pipe(Effect.provide(InMemoryTransport.layerService.pipe(Layer.provide(ConformanceService.layer))))

const run = async (what: string) => {
  if (what === "conformance") return Effect.runPromise(conformance)
  const example = examples[`../../../../${what}`]
  if (example === undefined) throw new Error(`${what} does not run in a page`)
  return example()
}

onmessage = ({ data }: MessageEvent<string>) =>
  run(data).then(
    () => report({ _tag: "Done" }),
    (error: unknown) => report({ _tag: "Failed", text: String(error) })
  )
