/** Runs the lab's calls apart from the page, so that the page is never busy. */
import * as Effect from "effect/Effect"
import * as Results from "./results.ts"
import * as State from "./state.ts"

/** Runs of other entries, or other calls of the last runs, in pictures of a width. */
export interface Request {
  readonly width: number
  /** Names the entries, also in their report. */
  readonly run: number
  readonly entries?: State.Entries
  readonly first?: number
}

export interface Report extends Results.Results {
  readonly run: number
}

// the stacks of errors in a run are never seen, and take a third of its time
Error.stackTraceLimit = 0

let shown: Results.Shown | undefined
let asked: Request
let stop: (() => void) | undefined

// none while a run is awaited, which will have the last width
const show = () =>
  shown && postMessage({ ...Results.of(shown, asked.width, asked.first), run: asked.run } satisfies Report)

onmessage = ({ data }: MessageEvent<Request>) => {
  asked = { ...asked, ...data }
  if (data.entries === undefined) return show()
  stop?.()
  shown = undefined
  asked = data
  const runs = Effect.map(Results.run(State.decode(data.entries)), (runs) => {
    shown = runs
    show()
  })
  stop = Effect.runCallback(Effect.tapDefect(runs, (defect) => Effect.sync(() => reportError(defect))))
}
