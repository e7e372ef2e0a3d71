/** Runs the lab's calls apart from the page, so that the page is never busy. */
import * as Effect from "effect/Effect"
import * as Results from "./results.ts"
import * as Run from "./run.ts"
import { sideNames } from "./scenario.ts"
import * as State from "./state.ts"

/** What the page asks for: runs of other entries, or other calls of the last runs. */
export interface Request {
  readonly entries?: State.Entries
  readonly first?: number
  readonly width: Parameters<typeof Results.of>[2]
}

// the stacks of errors in a run are never seen, and take a third of its time
Error.stackTraceLimit = 0

let shown: Results.Shown | undefined
let first = 0
let width: Request["width"]
let isRunning = false
let stop = new AbortController()

const run = async (entries: State.Entries, signal: AbortSignal) => {
  const state = State.decode(entries)
  const runs = Effect.forEach(sideNames, (name) =>
    Effect.map(Run.run(Run.ofScenario(state), state[name], state.seed), (run) => ({ name, ...run }))
  )
  shown = { state, sides: await Effect.runPromise(runs, { signal }) }
  first = Results.opening(shown)
}

onmessage = async ({ data }: MessageEvent<Request>) => {
  first = data.first ?? first
  width = data.width
  if (data.entries !== undefined) {
    stop.abort()
    const { signal } = (stop = new AbortController())
    isRunning = true
    try {
      await run(data.entries, signal)
      isRunning = signal.aborted
    } catch (error) {
      // a newer request took its place
      if (signal.aborted) return
      throw error
    }
  }
  // another width meanwhile is that of the run, whose results are awaited
  if (shown !== undefined && !isRunning) postMessage(Results.of(shown, first, width))
}
