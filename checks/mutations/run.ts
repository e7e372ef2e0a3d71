import { createVitest } from "vitest/node"
import { pathOf, problem, root, source, type Mutation } from "./Mutation.ts"

/** How the tests took a mutation, or none. */
export interface Result {
  /** The title of the first test that failed, with those of its groups. */
  readonly failed: string | undefined
  /** Why the tests told nothing, such as a text that is no program any more. */
  readonly error: string | undefined
  /** Whether they stopped at a failure that Vitest lost, which it can when several tests run at once. */
  readonly isLost: boolean
  readonly seconds: number
  /** The time of the slowest test, in milliseconds. */
  readonly longest: number
}

/** More than any file of tests takes: whatever is still running then runs for ever. */
const patienceSeconds = 180
/** How long one test or hook may take, in milliseconds, as in `npm test`. */
const timeout = patienceSeconds * 1000
/** The same with a mutation, which can make it hang, when none took longer without. */
const mutatedTimeout = (longest: number) => Math.max(5000, 3 * longest)

/**
 * A Vitest that changes a source on its way from the disk to the tests, where no other run sees it. It runs one file of
 * tests after the other, each up to the first test that fails.
 */
const open = async () => {
  let current: Mutation | undefined
  let isLoaded = false
  const vitest = await createVitest(
    "test",
    {
      config: false,
      root,
      include: ["packages/*/test/**/*.test.ts", "checks/**/*.test.ts"],
      watch: false,
      bail: 1,
      maxWorkers: 1,
      // what was transformed with a mutation must not be found by the next run
      fsModuleCache: false,
      reporters: [{}]
    },
    {
      plugins: [
        {
          name: "mutation",
          enforce: "pre",
          transform: (code, id) => {
            if (current === undefined || id !== pathOf(current.file)) return undefined
            isLoaded = true
            return code.split(current.from).join(current.to)
          }
        }
      ]
    }
  )

  /** Runs tests, as many at once as a file wants, while a mutation, if there is one, is in its source. */
  const test = async (tests: string, limit: number, mutation?: Mutation, maxConcurrency = 5): Promise<Result> => {
    const start = performance.now()
    const mutate = (next: Mutation | undefined) => {
      if (mutation !== undefined) vitest.invalidateFile(pathOf(mutation.file))
      current = next
    }
    const [file = "", ...titles] = tests.split(" > ")
    const specification = vitest
      .getRootProject()
      .createSpecification(pathOf(file), { testNamePattern: new RegExp(`^${titles.join(" > ")}`) })
    const patience = setTimeout(() => {
      console.error(`${mutation?.broken ?? tests} did not end within ${patienceSeconds} s`)
      process.exit(1)
    }, patienceSeconds * 1000)
    mutate(mutation)
    isLoaded = false
    Object.assign(vitest.getRootProject().config, { maxConcurrency, testTimeout: limit, hookTimeout: limit })
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications([specification])
    mutate(undefined)
    clearTimeout(patience)

    // those of earlier runs are there too
    const modules = testModules.filter(({ moduleId }) => moduleId === specification.moduleId)
    const all = modules.flatMap(({ children }) => [...children.allTests()])
    const failed = all.find((test) => test.result().state === "failed")
    const errors = [
      ...modules.flatMap((module) => module.errors().map(({ message }) => message)),
      ...unhandledErrors.map((error) => (error instanceof Error ? error.message : JSON.stringify(error))),
      ...(all.some((test) => test.result().state !== "skipped") ? [] : ["no test ran"]),
      ...(mutation !== undefined && !isLoaded ? ["the tests do not load the source"] : [])
    ]
    return {
      failed: failed?.fullName,
      error: errors[0]?.split("\n", 1)[0],
      isLost: failed === undefined && all.some((test) => test.result().state === "pending"),
      seconds: (performance.now() - start) / 1000,
      longest: Math.max(0, ...all.map((test) => test.diagnostic()?.duration ?? 0))
    }
  }
  return { test, close: () => vitest.close() }
}

/** Runs the tests of each mutation, two at a time, once they have passed without any. */
export const run = async (
  mutations: ReadonlyArray<Mutation>,
  onResult: (mutation: Mutation, result: Result) => void
): Promise<void> => {
  const problems = mutations.flatMap((mutation) => problem(mutation, source(mutation.file)) ?? [])
  if (problems.length > 0) throw new Error(problems.join("\n"))
  const lanes = [await open(), await open()]
  const each = async <A>(items: Iterable<A>, use: (lane: (typeof lanes)[number], item: A) => Promise<void>) => {
    const queue = [...items]
    await Promise.all(
      lanes.map(async (lane) => {
        for (let item = queue.shift(); item !== undefined; item = queue.shift()) await use(lane, item)
      })
    )
  }
  try {
    const limits = new Map<string, number>()
    await each(new Set(mutations.map(({ tests }) => tests)), async ({ test }, tests) => {
      const first = await test(tests, timeout)
      // whether they pass on a busy machine is for `npm test` to show
      const { error, failed, longest } = (first.failed ?? first.error) ? await test(tests, timeout) : first
      limits.set(tests, mutatedTimeout(longest))
      if (failed ?? error) throw new Error(`${tests} fails without a mutation: ${failed ?? error}`)
    })
    await each(mutations, async ({ test }, mutation) => {
      const limit = limits.get(mutation.tests) ?? timeout
      const result = await test(mutation.tests, limit, mutation)
      onResult(mutation, result.isLost ? await test(mutation.tests, limit, mutation, 1) : result)
    })
  } finally {
    await Promise.all(lanes.map(({ close }) => close()))
  }
}
