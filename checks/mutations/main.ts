/**
 * `npm run test:mutations`: breaks each rule of the client's calls and of the service's keys in turn, and shows that a
 * test fails each time. `-- --only TEXT` breaks only those rules whose name, source or tests have this text in them; it can be
 * repeated. `-- --write` writes the table in `docs/mutations.md`, in which rules that were not broken keep their rows.
 */
import { parseArgs } from "node:util"
import { write } from "./document.ts"
import type { Mutation } from "./Mutation.ts"
import { run } from "./run.ts"
import { table } from "./table.ts"
import * as Program from "../fixtures/Program.ts"

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true, default: [""] }, write: { type: "boolean" } }
})
const chosen = table.filter(({ broken, file, tests }) =>
  values.only.some((text) => `${broken}\n${file}\n${tests}`.includes(text))
)
const ofPostgres = chosen.filter(({ tests }) => tests.includes("PostgreSQL"))
const mutations =
  ofPostgres.length === 0 || Program.isThere("postgres") ? chosen : chosen.filter((one) => !ofPostgres.includes(one))

/** The title of the test that failed, by mutation. */
const caught = new Map<Mutation, string>()
await run(mutations, (mutation, { error, failed, seconds }) => {
  if (error === undefined && failed !== undefined) caught.set(mutation, failed.replace(/(PostgreSQL) [\d.]+/, "$1"))
  const end = error ?? failed ?? "SURVIVED"
  console.log(
    `${error === undefined ? "" : "ERROR "}${mutation.broken} | ${mutation.file} | ${end} | ${seconds.toFixed(1)} s`
  )
})
const survivors = mutations.filter((mutation) => !caught.has(mutation))
if (values.write) {
  if (caught.size < mutations.length) throw new Error("the table is written only if all mutations are caught")
  write(table, caught)
}
for (const { broken, file } of survivors) console.log(`SURVIVED ${broken} | ${file}`)
console.log(`${mutations.length} mutations, ${caught.size} caught, ${survivors.length} survived`)
// Vitest has set it, since tests failed
const isComplete = mutations.length === chosen.length || process.env["CI"] !== "true"
process.exitCode = isComplete && survivors.length === 0 && caught.size > 0 ? 0 : 1
