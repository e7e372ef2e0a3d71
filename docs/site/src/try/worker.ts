/** Runs an example in a worker of its own, whose console and network are the example's. */
import "./network.ts"

export interface Report {
  readonly text: string
  readonly status: "Running …" | "Done" | "Failed"
}

const programs = import.meta.glob(
  [
    "./examples/{credentials,errors,first-program,lost-response,own-errors,own-operation,waiting}.ts",
    "./docs/site/src/try/{conformance,home/*}.ts"
  ],
  { base: "../../../.." }
)

const report = (text: string, status: Report["status"]) => postMessage({ text, status } satisfies Report)

console.log = console.error = (...texts: ReadonlyArray<unknown>) => report(`${texts.join(" ")}\n`, "Running …")

const run = async (file: string) => {
  const program = programs[`./${file}`]
  if (program === undefined) throw new Error(`${file} does not run in a page`)
  await program()
}

onmessage = ({ data }: MessageEvent<string>) =>
  run(data).then(
    () => report("", "Done"),
    (error: unknown) => report(String(error), "Failed")
  )
