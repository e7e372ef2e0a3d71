/**
 * `node checks/main.ts corpus:fuzz --documents 10000 --seed 1`: generates mutated documents of the corpus. Each must be
 * generated or found unreadable, within 10 seconds; of every hundredth, the code must compile. It catches a document that
 * crashes the generator, or that gets its own text into the code.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import * as Document from "../../packages/generator/src/Document.ts"
import { generate } from "../../packages/generator/src/Generate.ts"
import * as Dice from "../fixtures/Dice.ts"
import { documents } from "./documents.ts"
import { mutated } from "./mutate.ts"
import { compiled, house, pathOf } from "./run.ts"

interface Task {
  readonly first: number
  readonly count: number
  readonly step: number
}

const names = ["Directus", "Ideal Postcodes", "Asana", "Discourse", "Gitea", "Vercel"]
const folder = join(house, "fuzz")
const every = 100

const read = (file: string): Record<string, unknown> => JSON.parse(readFileSync(pathOf(file), "utf8"))

const work = ({ count, first, step }: Task) => {
  const originals = documents.filter(({ name }) => names.includes(name)).map(({ file }) => read(file))
  for (let seed = first; seed < first + count; seed += step) {
    parentPort?.postMessage({ seed })
    const dice = Dice.make(String(seed))
    const original = originals[dice.below(originals.length)]
    if (original === undefined) continue
    const content = JSON.stringify(mutated(original, dice))
    try {
      const root = Document.read({ name: "mutated.json", content })
      const all = { isIncluded: () => true, envelope: "auto", locked: undefined, patches: [], areDatesText: false }
      const { files } = generate(root, all)
      if (seed % every !== 0) continue
      for (const [name, code] of files) {
        const path = join(folder, String(seed), name)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, code)
      }
    } catch (error) {
      if (error instanceof Document.Unreadable) continue
      parentPort?.postMessage({
        seed,
        problem: error instanceof Error ? (error.stack ?? error.message) : String(error)
      })
    }
  }
}

/** Runs a task, and goes on after a document that takes too long. */
const run = (task: Task, problems: Array<string>): Promise<void> =>
  new Promise((done) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: task })
    let last = task.first
    const stop = async () => {
      problems.push(`seed ${last}: takes more than 10 seconds`)
      await worker.terminate()
      const first = last + task.step
      const count = task.first + task.count - first
      return count > 0 ? run({ ...task, first, count }, problems) : undefined
    }
    const late = () => setTimeout(() => void stop().then(() => done()), 10_000)
    let timer = late()
    worker.on("message", ({ problem, seed }: { readonly seed: number; readonly problem?: string }) => {
      last = seed
      if (problem !== undefined) problems.push(`seed ${seed}: ${problem}`)
      clearTimeout(timer)
      timer = late()
    })
    worker.on("error", (error) => problems.push(`seed ${last}: ${error.message}`))
    worker.on("exit", (code) => {
      // a worker that was ended for being late goes on elsewhere
      if (code === 1 && problems.at(-1)?.endsWith("10 seconds") === true) return
      clearTimeout(timer)
      done()
    })
  })

const main = async () => {
  const { values } = parseArgs({ options: { documents: { type: "string" }, seed: { type: "string" } } })
  const count = Number(values.documents ?? 2_000)
  const seed = Number(values.seed ?? 1)
  const start = performance.now()
  const problems: Array<string> = []
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await Promise.all([0, 1].map((i) => run({ first: seed + i, count: count - i, step: 2 }, problems)))
  problems.push(...(await compiled(folder)))
  rmSync(folder, { recursive: true })
  for (const problem of problems.slice(0, 10)) console.log(problem)
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  console.log(`generated ${count} mutated documents from seed ${seed} in ${seconds} s, ${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

if (isMainThread) await main()
else work(workerData)
