/** Mounts the fault lab into `#lab`. */
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import type { Attempt, Call } from "./calls.ts"
import * as Code from "./code.ts"
import * as Draw from "./draw.ts"
import { button, choice, element, labelled, numeric } from "./element.ts"
import "./lab.css"
import { policyForm } from "./policyForm.ts"
import * as Run from "./run.ts"
import { scenarios } from "./scenario.ts"
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

const names: Readonly<Record<State.State["scenario"], string>> = {
  ...Record.map(scenarios, ({ title }) => title),
  script: "Your own script",
  cassette: "Replay a recording (cassette)"
}

/** Where each part of the page is. */
const places = {
  chosen: element("div", { className: "lab-chosen" }),
  problem: element("p", { className: "lab-problem", hidden: true, aria: { role: "alert" } }),
  sides: {
    a: element("div", { className: "lab-picture" }),
    b: element("div", { className: "lab-picture" })
  },
  forms: { a: element("div"), b: element("div") },
  pages: element("div", { className: "lab-pages" }),
  known: element("div", { className: "lab-known" }),
  figures: element("div", { className: "lab-figures" }),
  charts: element("div", { className: "lab-charts" }),
  table: element("details", { className: "lab-table" }),
  exported: element("div", { className: "lab-exported" })
}

const swatch = (className: string, text: string) =>
  element("li", {}, element("span", { className: `lab-swatch ${className}`, aria: { "aria-hidden": "true" } }), text)

const lab = document.querySelector<HTMLElement>("#lab")
/** What the controls say, which may not be valid; and the last of it that was. */
let entered = State.initial
let state = State.initial
/** The first call whose timeline is shown. */
let first = 0
/** The results, and the state that they came of; none while the controls say something else. */
let shown: { readonly state: State.State; readonly sides: ReadonlyArray<Draw.Side> } | undefined
let stop = new AbortController()
/** Draws what is shown anew, for another width of the page. */
let redraw = () => {}

/** Stops what runs, and hides the results, which are those of another state from now on. */
const retire = () => {
  stop.abort()
  stop = new AbortController()
  shown = undefined
  redraw = () => {}
  delete lab?.dataset["took"]
  delete lab?.dataset["seeds"]
  places.exported.replaceChildren()
}

const complain = (problem: string | undefined) => {
  places.problem.hidden = problem === undefined
  places.problem.textContent = problem ?? ""
}

/** Runs that were made, by what they were made of: a change of one policy leaves the other's run as it is. */
const made = new Map<string, Run.Run>()
/** How many attempts they have. */
let kept = 0
const play = async (
  state: State.State,
  setup: Run.Setup,
  name: "a" | "b",
  seed: number,
  signal: AbortSignal
): Promise<Run.Run> => {
  const { calls, cassette, scenario, script } = state
  const policy = state[name]
  const key = JSON.stringify([scenario, calls, scenario === "script" && script, cassette?.text, policy, seed])
  const found = made.get(key)
  if (found !== undefined) return found
  const run = await Effect.runPromise(Run.run(setup, policy, seed), { signal })
  kept += attemptsOf(run)
  if (made.size > 100 || kept > 200_000) {
    made.clear()
    kept = attemptsOf(run)
  }
  made.set(key, run)
  return run
}

const tellKnown = (name: string, policy: State.State["a"]) => (call: Call, attempt: Attempt) =>
  places.known.replaceChildren(
    element("h2", {}, `What the client knew: policy ${name}, call ${call.number}, attempt ${attempt.number}`),
    element("ul", {}, ...Words.knowledge(call, attempt, policy).map((sentence) => element("li", {}, sentence)))
  )

/** Draws the timelines of the calls from `first` on, and their table. */
const drawCalls = async () => {
  const plot = await plotting
  const sides = shown?.sides ?? []
  const visible = sides.map((side) => ({ ...side, calls: side.calls.slice(first, first + page) }))
  const from = Math.min(...visible.flatMap(({ calls }) => calls.map(({ start }) => start)))
  const until = Math.max(...visible.map(({ calls }) => Draw.endOf(calls)))
  for (const side of visible) {
    const place = places.sides[side.name === "A" ? "a" : "b"]
    const { calls, policy } = side
    place.replaceChildren(
      calls.length === 1 || calls[0] === undefined
        ? ""
        : element("p", {}, `${summary(sides.find(({ name }) => name === side.name)?.calls ?? [])}`),
      Draw.timeline(plot, side, [from, until], Math.max(280, place.clientWidth), tellKnown(side.name, policy))
    )
  }
  const total = sides[0]?.calls.length ?? 0
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

const attemptsOf = ({ calls }: Pick<Run.Run, "calls">) => calls.reduce((sum, { attempts }) => sum + attempts.length, 0)

const summary = (calls: ReadonlyArray<Call>) => {
  const succeeded = calls.filter(({ ending }) => ending._tag === "Succeeded").length
  return `${succeeded} of ${calls.length} calls succeeded, with ${attemptsOf({ calls })} attempts in ${Words.time(Draw.endOf(calls))}.`
}

/** When the trouble of the scenario is, where it has an end. */
const troubleOf = (state: State.State) => {
  const faults = State.scenarioOf(state)?.faults
  return faults?._tag === "Outage" ? faults.node : faults?._tag === "BrownOut" ? faults.service : undefined
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
  complain(undefined)
  try {
    const side = async (name: "a" | "b", seed: number) => ({
      name: name === "a" ? ("A" as const) : ("B" as const),
      ...(await play(chosen, setup.success, name, seed, signal))
    })
    const both = async (seed: number) => [await side("a", seed), await side("b", seed)]
    const runs = await both(chosen.seed)
    const plot = await plotting
    signal.throwIfAborted()
    shown = { state: chosen, sides: runs }
    const notes = new Set(runs.flatMap(({ name, notes }) => notes.map((note) => `Policy ${name}: ${note}`)))
    if (notes.size > 0) complain([...notes].join(" "))
    const failed = runs.flatMap(({ calls, name, policy }) =>
      calls.flatMap((call) => {
        const attempt = call.attempts.find(({ reason }) => reason !== undefined)
        return attempt === undefined ? [] : [{ name, policy, call, attempt }]
      })
    )[0]
    first = page * Math.floor(((failed?.call.number ?? 1) - 1) / page)
    await drawCalls()
    if (failed === undefined) places.known.replaceChildren()
    else tellKnown(failed.name, failed.policy)(failed.call, failed.attempt)
    const trouble = troubleOf(chosen)
    const charts = (count: number, all: ReadonlyArray<Draw.Side>) => {
      const width = Math.min(620, Math.max(280, places.charts.clientWidth))
      const many = (runs[0]?.calls.length ?? 0) > 1
      places.figures.replaceChildren(Table.figures(runs, { count, sides: all }, trouble?.until))
      places.charts.replaceChildren(
        ...(many
          ? [
              figure(
                "Load: attempts per second. A is solid, B dashed; the area is calls that begin.",
                Draw.load(plot, runs, trouble, width)
              )
            ]
          : []),
        figure(
          `Success over time, ${count} seed${count === 1 ? "" : "s"}. A is solid, B dashed.`,
          Draw.success(plot, all, width)
        )
      )
    }
    const show = (count: number, all: ReadonlyArray<Draw.Side>) => {
      charts(count, all)
      redraw = () => {
        void drawCalls()
        charts(count, all)
      }
    }
    show(1, runs)
    lab?.setAttribute("data-took", (performance.now() - began).toFixed(1))
    const pooled = runs.map(({ calls, ...side }) => ({ ...side, calls: [...calls] }))
    const work = Math.max(1, ...runs.map(attemptsOf))
    const seeds = Math.max(3, Math.min(50, Math.floor(attemptsOfSeeds / work)))
    for (let seed = 1; seed < seeds; seed++) {
      const more = await both(chosen.seed + seed)
      for (const [index, { calls }] of more.entries()) pooled[index]?.calls.push(...calls)
    }
    show(seeds, pooled)
    lab?.setAttribute("data-seeds", String(seeds))
  } catch (error) {
    // a newer change took its place
    if (!signal.aborted) throw error
  }
}

const figure = (caption: string, drawn: Element) =>
  element("figure", {}, element("figcaption", {}, caption), figureImage(drawn, caption))

const figureImage = (drawn: Element, caption: string) => {
  // groups cannot have names without a role
  for (const group of drawn.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label")
  drawn.setAttribute("role", "img")
  drawn.setAttribute("aria-label", `${caption} The table of figures says the same.`)
  return drawn
}

/** Takes what the visitor entered, or says what is wrong with it or with what was entered before. */
const edit = (part: Partial<State.State>) => {
  entered = { ...entered, ...part }
  const valid = State.decode(entered)
  if (Result.isFailure(valid)) {
    retire()
    return complain(`This cannot be run: ${valid.failure.message}`)
  }
  state = valid.success
  void update()
}

const chooseCassette = async (file: File | undefined) => {
  if (file !== undefined) edit({ cassette: { file: file.name, text: await file.text() } })
}

/** The input that the scenario needs. */
const inputOf = (): ReadonlyArray<HTMLElement> => {
  if (state.scenario === "script") return [scriptForm(state.script, (script) => edit({ script }))]
  if (state.scenario !== "cassette") return []
  const input = element("input", { type: "file", accept: ".json,application/json" })
  input.addEventListener("change", () => void chooseCassette(input.files?.[0]))
  const drop = element("div", { className: "lab-drop" }, labelled("Choose a cassette, or drop it here", input))
  drop.addEventListener("dragover", (event) => event.preventDefault())
  drop.addEventListener("drop", (event) => {
    event.preventDefault()
    void chooseCassette(event.dataTransfer?.files[0])
  })
  return [drop]
}

/** Shows text that the visitor takes along. */
const give = (title: string, text: string, file?: string) => {
  const area = element("textarea", {
    readOnly: true,
    value: text,
    rows: 12,
    spellcheck: false,
    aria: { "aria-label": title }
  })
  const copied = element("span", { aria: { role: "status" } })
  places.exported.replaceChildren(
    element("h3", {}, title),
    area,
    button("Copy", () => {
      navigator.clipboard.writeText(text).then(
        () => (copied.textContent = "Copied."),
        () => area.select()
      )
    }),
    file === undefined
      ? ""
      : element(
          "a",
          { className: "lab-button", href: URL.createObjectURL(new Blob([text])), download: file },
          `Download ${file}`
        ),
    copied
  )
  area.focus()
}

const exports = () => {
  /** Gives what belongs to the results; nothing while they are those of another state. */
  const ofShown = (text: string, act: (sides: ReadonlyArray<Draw.Side>, state: State.State) => void) =>
    button(text, () => {
      if (shown !== undefined) act(shown.sides, shown.state)
    })
  const names = ["A", "B"] as const
  return element(
    "div",
    { className: "lab-buttons" },
    ...names.map((name, index) =>
      ofShown(`Code of policy ${name}`, (_, { a, b }) =>
        give(`Code of policy ${name}`, Code.policy(index === 0 ? a : b), "cloud.ts")
      )
    ),
    ...names.map((name, index) =>
      ofShown(`Test of policy ${name}`, (sides, state) => {
        const scenario = State.scenarioOf(state)
        const side = sides[index]
        if (scenario === undefined || side === undefined)
          return complain("A recording is a test already: the guide “Recording” shows how to replay it.")
        const test = Code.test(scenario, side.policy, state.seed, side.calls)
        give(`The scenario as a test, policy ${name}`, test, "scenario.test.ts")
      })
    ),
    ofShown("Picture", () =>
      give("The picture as SVG", Draw.toSvg([...document.querySelectorAll("#lab svg")]), "fault-lab.svg")
    ),
    ofShown("Link", (_, state) =>
      give("A link to this state of the lab", new URL(State.toFragment(state), location.href).href)
    )
  )
}

/** Builds the controls anew, for a scenario or a link. */
const render = () => {
  entered = state
  const scenario = State.scenarioOf(state)
  places.chosen.replaceChildren(
    labelled(
      "Scenario",
      choice(names, state.scenario, (name) => {
        state = State.choose(state, name)
        render()
      })
    ),
    scenario === undefined
      ? ""
      : labelled(
          "Number of calls",
          numeric(state.calls, (calls) => edit({ calls }))
        ),
    labelled(
      "Random seed",
      numeric(state.seed, (seed) => edit({ seed }))
    ),
    element(
      "p",
      { className: "lab-story" },
      scenario?.story ??
        "The client makes the recorded calls again, and gets the recorded responses, each after the recorded time."
    ),
    ...inputOf()
  )
  for (const name of ["a", "b"] as const) {
    places.forms[name].replaceChildren(
      policyForm(name.toUpperCase(), state[name], (policy) => edit({ [name]: policy }))
    )
  }
  void update()
}

/** The state that the URL describes. */
const open = () => {
  const found = State.ofFragment(location.hash)
  state = Result.getOrUndefined(found) ?? State.initial
  render()
  if (Result.isFailure(found)) complain(found.failure)
}

lab?.replaceChildren(
  places.chosen,
  places.problem,
  element(
    "div",
    { className: "lab-sides" },
    element("section", { aria: { "aria-label": "Policy A" } }, places.forms.a, places.sides.a),
    element("section", { aria: { "aria-label": "Policy B" } }, places.forms.b, places.sides.b)
  ),
  places.pages,
  element(
    "ul",
    { className: "lab-legend", aria: { "aria-label": "Legend" } },
    swatch("lab-success", "✓ attempt that succeeded"),
    swatch("lab-failure", "✗ attempt that failed"),
    swatch("lab-backoff", "wait: backoff"),
    swatch("lab-hint", "wait: the service asked for it"),
    swatch("lab-pacing", "wait: pacing"),
    swatch("lab-deadline", "deadline of the call")
  ),
  element(
    "p",
    {},
    "Point at an attempt, or click it, to see what the client knew then. The arrow keys go from one attempt to the next."
  ),
  places.known,
  element("h2", {}, "Figures"),
  places.figures,
  places.charts,
  places.table,
  element("h2", {}, "Copy or download"),
  exports(),
  places.exported
)
window.addEventListener("hashchange", open)
window.addEventListener("resize", () => redraw())
open()
