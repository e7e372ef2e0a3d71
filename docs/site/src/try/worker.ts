/** Runs an example in a worker of its own, whose console is the example's. */

/** What the example prints, and how it stands. */
export interface Report {
  readonly text: string
  readonly status: "Running …" | "Done" | "Failed"
}

const programs = import.meta.glob(
  [
    "./examples/{credentials,errors,first-program,lost-response,own-errors,own-operation,waiting}.ts",
    "./docs/site/src/try/conformance.ts"
  ],
  { base: "../../../.." }
)

const report = (text: string, status: Report["status"]) => postMessage({ text, status } satisfies Report)

console.log = (...texts: ReadonlyArray<unknown>) => report(`${texts.join(" ")}\n`, "Running …")

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
