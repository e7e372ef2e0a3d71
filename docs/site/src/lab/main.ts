/** Brings the page of the fault lab, lab.astro, to life. */
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import type { Attempt, Call } from "./calls.ts"
import * as Code from "./code.ts"
import * as Draw from "./draw.ts"
import { cell, choice, field, labelled, numeric, type Cell } from "./controls.ts"
import { button, element } from "../element.ts"
import "./lab.css"
import * as Figures from "./figures.ts"
import { policyForm } from "./policyForm.ts"
import * as Run from "./run.ts"
import { scenarios, sideNames } from "./scenario.ts"
import { scriptForm } from "./scriptForm.ts"
import * as State from "./state.ts"
import * as Table from "./table.ts"
import * as Words from "./words.ts"

// a chunk of its own, loaded while the first run is made
const plotting = import("@observablehq/plot")
// the stacks of errors in a run are never seen, and take a third of its time
Error.stackTraceLimit = 0

/** Calls whose timelines are shown at once. */
const page = 12
/** Runs of other seeds make about so many attempts for each policy. */
const attemptsOfSeeds = 9000

const titles: Readonly<Record<State.State["scenario"], string>> = {
  ...Record.map(scenarios, ({ title }) => title),
  script: "Your own script",
  cassette: "Replay a recording (cassette)"
}

const at = (selector: string) => {
  const found = document.querySelector<HTMLElement>(selector)
  if (found === null) throw new Error(`lab.astro lacks ${selector}`)
  return found
}
const places = {
  lab: at("#lab"),
  chosen: at(".lab-chosen"),
  problem: at(".lab-problem"),
  forms: { A: at("#lab-A .lab-form"), B: at("#lab-B .lab-form") },
  pictures: { A: at("#lab-A .lab-picture"), B: at("#lab-B .lab-picture") },
  pages: at(".lab-pages"),
  known: at(".lab-known"),
  figures: at(".lab-figures"),
  charts: at(".lab-charts"),
  table: at(".lab-table"),
  buttons: at(".lab-buttons"),
  exported: at(".lab-exported")
}

/** The results of a state, and of runs with more seeds. */
interface Results {
  readonly state: State.State
  readonly sides: ReadonlyArray<Draw.Side>
  readonly seeds: { readonly count: number; readonly sides: ReadonlyArray<Draw.Side> }
}

/** What the controls say, which may not be valid; and the last of it that was. */
let entered = State.initial
let state = State.initial
/** None while the controls say something else. */
let shown: Results | undefined
/** The first call whose timeline is shown. */
let first = 0
let stop = new AbortController()

/** Stops what runs, and hides the results, which are those of another state from now on. */
const retire = () => {
  stop.abort()
  stop = new AbortController()
  shown = undefined
  delete places.lab.dataset["took"]
  delete places.lab.dataset["seeds"]
  places.exported.replaceChildren()
}

const complain = (problem = "") => {
  places.problem.hidden = problem === ""
  places.problem.textContent = problem
}

const tellKnown = (name: string, policy: Draw.Side["policy"], call: Call, attempt: Attempt) =>
  places.known.replaceChildren(
    element("h2", {}, `What the client knew: policy ${name}, call ${call.number}, attempt ${attempt.number}`),
    element("ul", {}, ...Words.knowledge(call, attempt, policy).map((sentence) => element("li", {}, sentence)))
  )

const summary = (side: ReadonlyArray<Call>) => {
  const { attempts, calls, succeeded } = Figures.of(side, undefined)
  return `${succeeded} of ${calls} calls succeeded, with ${attempts} attempts in ${Words.time(Draw.endOf(side))}.`
}

/** Draws the timelines of the calls from `first` on, and their table. */
const drawCalls = async () => {
  const plot = await plotting
  const sides = shown?.sides ?? []
  const total = sides[0]?.calls.length ?? 0
  const visible = sides.map((side) => ({ ...side, calls: side.calls.slice(first, first + page) }))
  const from = Math.min(...visible.flatMap(({ calls }) => calls.map(({ start }) => start)))
  const until = Math.max(...visible.map(({ calls }) => Draw.endOf(calls)))
  for (const [index, side] of visible.entries()) {
    const place = places.pictures[side.name]
    place.replaceChildren(
      total === 1 ? "" : element("p", {}, summary(sides[index]?.calls ?? [])),
      Draw.timeline(plot, side, [from, until], Math.max(280, place.clientWidth), (call, attempt) =>
        tellKnown(side.name, side.policy, call, attempt)
      )
    )
  }
  const turn = (by: number) => {
    first = Math.min(Math.max(0, first + by), Math.max(0, total - 1))
    void drawCalls()
  }
  places.pages.replaceChildren(
    ...(total <= page
      ? []
      : [
          button("Earlier calls", () => turn(-page)),
          ` calls ${first + 1} to ${Math.min(first + page, total)} of ${total} `,
          button("Later calls", () => turn(page))
        ])
  )
  places.table.replaceChildren(element("summary", {}, "The timelines as a table"), Table.events(visible))
}

/** When the trouble of the scenario is, where it has an end. */
const troubleOf = (state: State.State) => {
  const faults = State.scenarioOf(state)?.faults
  return faults?._tag === "Outage" ? faults.node : faults?._tag === "BrownOut" ? faults.service : undefined
}

/** Draws all that is shown; anew for another width of the page. */
const draw = async () => {
  const plot = await plotting
  if (shown === undefined) return
  const { seeds, sides, state } = shown
  await drawCalls()
  const trouble = troubleOf(state)
  const width = Math.min(620, Math.max(280, places.charts.clientWidth))
  places.figures.replaceChildren(Table.figures(sides, seeds, trouble?.until))
  places.charts.replaceChildren(
    ...((sides[0]?.calls.length ?? 0) > 1 ? [Draw.load(plot, sides, trouble, width)] : []),
    Draw.success(plot, seeds, width)
  )
}

/** Runs both policies, shows what came of them, and then runs other seeds for the latencies. */
const update = async () => {
  const began = performance.now()
  retire()
  const { signal } = stop
  // which a change replaces while this runs
  const chosen = state
  history.replaceState(null, "", State.toFragment(chosen))
  const setup = State.setupOf(chosen)
  if (Result.isFailure(setup)) return complain(setup.failure)
  complain()
  const both = (seed: number) =>
    Effect.runPromise(
      Effect.forEach(sideNames, (name) =>
        Effect.map(Run.run(setup.success, chosen[name], seed), (run) => ({ name, ...run }))
      ),
      { signal }
    )
  try {
    const sides = await both(chosen.seed)
    await plotting
    signal.throwIfAborted()
    const notes = new Set(sides.flatMap(({ name, notes }) => notes.map((note) => `Policy ${name}: ${note}`)))
    if (notes.size > 0) complain([...notes].join(" "))
    const failed = sides.flatMap(({ calls, name, policy }) =>
      calls.flatMap((call) => {
        const attempt = call.attempts.find(({ reason }) => reason !== undefined)
        return attempt === undefined ? [] : [{ name, policy, call, attempt }]
      })
    )[0]
    first = page * Math.floor(((failed?.call.number ?? 1) - 1) / page)
    shown = { state: chosen, sides, seeds: { count: 1, sides } }
    await draw()
    places.known.replaceChildren()
    if (failed !== undefined) tellKnown(failed.name, failed.policy, failed.call, failed.attempt)
    places.lab.dataset["took"] = (performance.now() - began).toFixed(1)

    const attempts = Math.max(1, ...sides.map(({ calls }) => Figures.of(calls, undefined).attempts))
    const count = Math.max(3, Math.min(50, Math.floor(attemptsOfSeeds / attempts)))
    const pooled = sides.map(({ calls, ...side }) => ({ ...side, calls: [...calls] }))
    for (let seed = 1; seed < count; seed++) {
      for (const [index, { calls }] of (await both(chosen.seed + seed)).entries()) pooled[index]?.calls.push(...calls)
    }
    shown = { state: chosen, sides, seeds: { count, sides: pooled } }
    await draw()
    places.lab.dataset["seeds"] = String(count)
  } catch (error) {
    // a newer change took its place
    if (!signal.aborted) throw error
  }
}

/** What the visitor entered: runs it, or says what is wrong with it or with what was entered before. */
const entry: Cell<State.State> = {
  get: () => entered,
  set: (next) => {
    entered = next
    const valid = State.decode(entered)
    if (Result.isFailure(valid)) {
      retire()
      return complain(`This cannot be run: ${valid.failure.message}`)
    }
    state = valid.success
    void update()
  }
}

/** The input that the scenario needs. */
const inputOf = (): ReadonlyArray<HTMLElement> => {
  if (state.scenario === "script") return [scriptForm(field(entry, "script"))]
  if (state.scenario !== "cassette") return []
  const input = element("input", { type: "file", accept: ".json,application/json" })
  input.onchange = async () => {
    const [file] = input.files ?? []
    if (file !== undefined) field(entry, "cassette").set({ file: file.name, text: await file.text() })
  }
  return [labelled("Choose a cassette, or drop it here", input)]
}

/** Shows text that the visitor takes along. */
const give = (title: string, text: string, file?: string) => {
  const area = element("textarea", { readOnly: true, value: text, rows: 12, spellcheck: false, ariaLabel: title })
  const copied = element("span", { role: "status" })
  const copy = button("Copy", () => {
    navigator.clipboard.writeText(text).then(
      () => (copied.textContent = "Copied."),
      () => area.select()
    )
  })
  const download = (file: string) => {
    const href = URL.createObjectURL(new Blob([text]))
    return element("a", { className: "lab-button", href, download: file }, `Download ${file}`)
  }
  places.exported.replaceChildren(
    element("h3", {}, title),
    area,
    copy,
    file === undefined ? "" : download(file),
    copied
  )
  area.focus()
}

/** A button that gives what belongs to the results; nothing while they are those of another state. */
const offer = (title: string, of: (shown: Results) => void) =>
  button(title, () => {
    if (shown !== undefined) of(shown)
  })
places.buttons.replaceChildren(
  ...sideNames.map((name) =>
    offer(`Code of policy ${name}`, ({ state }) => give(`Code of policy ${name}`, Code.policy(state[name]), "cloud.ts"))
  ),
  ...sideNames.map((name, index) =>
    offer(`Test of policy ${name}`, ({ sides, state }) => {
      const scenario = State.scenarioOf(state)
      if (scenario === undefined)
        return complain("A recording is a test already: the guide “Recording” shows how to replay it.")
      const test = Code.test(scenario, state[name], state.seed, sides[index]?.calls ?? [])
      give(`The scenario as a test, policy ${name}`, test, "scenario.test.ts")
    })
  ),
  offer("Picture", () =>
    give(
      "The picture as SVG",
      Draw.toSvg([...document.querySelectorAll(":is(.lab-picture, .lab-charts) svg")]),
      "fault-lab.svg"
    )
  ),
  offer("Link", ({ state }) =>
    give("A link to this state of the lab", new URL(State.toFragment(state), location.href).href)
  )
)

/** Builds the controls anew, for a scenario or a link. */
const render = () => {
  entered = state
  const scenario = State.scenarioOf(state)
  places.chosen.replaceChildren(
    labelled(
      "Scenario",
      choice(
        titles,
        cell(state.scenario, (name) => {
          state = State.choose(state, name)
          render()
        })
      )
    ),
    scenario === undefined ? "" : numeric("Number of calls", field(entry, "calls")),
    numeric("Random seed", field(entry, "seed")),
    element(
      "p",
      {},
      scenario?.story ??
        "The client makes the recorded calls again, and gets the recorded responses, each after the recorded time."
    ),
    ...inputOf()
  )
  for (const name of sideNames) places.forms[name].replaceChildren(policyForm(name, field(entry, name)))
  void update()
}

/** The state that the URL describes. */
const open = () => {
  const found = State.ofFragment(location.hash)
  state = Result.getOrUndefined(found) ?? State.initial
  render()
  if (Result.isFailure(found)) complain(found.failure)
}

window.addEventListener("hashchange", open)
window.addEventListener("resize", () => void draw())
open()
