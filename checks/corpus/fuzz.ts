/**
 * `node checks/main.ts corpus:fuzz --documents 10000 --seed 1`: generates mutated documents of the corpus. Each must be
 * generated or found unreadable, within 10 seconds; of every hundredth, the code must compile. It catches a document that
 * crashes the generator, or that gets its own text into the code.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { runInNewContext } from "node:vm"
import * as Effect from "effect/Effect"
import * as Bundle from "../../packages/generator/src/read/Bundle.ts"
import { Unusable } from "../../packages/generator/src/read/Unusable.ts"
import * as Document from "../../packages/generator/src/read/Document.ts"
import { generate, type Options } from "../../packages/generator/src/Generate.ts"
import * as Dice from "../fixtures/Dice.ts"
import { documents } from "./documents.ts"
import { mutated } from "./mutate.ts"
import { compiled, house, pathOf } from "./run.ts"

const names = ["Directus", "Ideal Postcodes", "Asana", "Discourse", "Gitea", "Vercel"]
const folder = join(house, "fuzz")
const every = 100
const milliseconds = 10_000
const all: Options = { isIncluded: () => true, envelope: "auto", locked: undefined, patches: [], areDatesText: false }

const originals = documents
  .filter(({ name }) => names.includes(name))
  .map(({ file }): Record<string, unknown> => JSON.parse(readFileSync(pathOf(file), "utf8")))

/** Generates the document of a seed, and writes every hundredth. */
const run = (seed: number): void => {
  const dice = Dice.make(String(seed))
  const content = JSON.stringify(mutated(originals[dice.below(originals.length)] ?? {}, dice))
  const { root, unread } = Effect.runSync(Bundle.read({ uri: "file:///mutated.json", content }, "mutated.json"))
  const { files } = generate(Document.make(root, unread), all)
  if (seed % every !== 0) return
  for (const [name, code] of files) {
    const path = join(folder, String(seed), name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, code)
  }
}

const { values } = parseArgs({ options: { documents: { type: "string" }, seed: { type: "string" } } })
const count = Number(values.documents ?? 2_000)
const first = Number(values.seed ?? 1)
const start = performance.now()
const problems: Array<string> = []
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (let seed = first; seed < first + count; seed++) {
  try {
    // it ends what takes too long
    runInNewContext("run()", { run: () => run(seed) }, { timeout: milliseconds })
  } catch (error) {
    if (error instanceof Unusable) continue
    problems.push(`seed ${seed}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
}
problems.push(...(await compiled(folder)))
rmSync(folder, { recursive: true })
for (const problem of problems.slice(0, 10)) console.log(problem)
const seconds = ((performance.now() - start) / 1000).toFixed(0)
console.log(`generated ${count} mutated documents from seed ${first} in ${seconds} s, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
