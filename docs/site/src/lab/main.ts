/** Brings the page of the fault lab, lab.astro, to life: reads its form, and shows what the worker makes of it. */
import { button, element } from "../element.ts"
import "./lab.css"
import { nameOf, presetOf, presets } from "./policy.ts"
import type { Results } from "./results.ts"
import { kinds, sideNames } from "./scenario.ts"
import * as State from "./state.ts"
import type { Request } from "./worker.ts"

const at = (selector: string) => {
  const found = document.querySelector<HTMLElement>(selector)
  if (found === null) throw new Error(`lab.astro lacks ${selector}`)
  return found
}
const lab = at("#lab")
const [pages, known, exported] = [at(".lab-pages"), at(".lab-known"), at(".lab-exported")]
/** Controls by their names. */
const controls = new Map(
  Array.from(lab.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[name]"), (control) => [control.name, control])
)
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" })

let shown: Results | undefined
/** What is shown is of these entries. */
let asked = State.initial

const set = (entries: State.Entries) => {
  for (const [name, text] of Object.entries(entries)) {
    const control = controls.get(name)
    if (control !== undefined) control.value = text
  }
}
const entered = (): State.Entries =>
  Object.fromEntries(Object.keys(State.fields).map((name) => [name, controls.get(name)?.value ?? ""]))

/** Widths of pictures; none before the page has its layout. */
const width = { timeline: 0, chart: 0 }
const ask = (request: Omit<Request, "width">) => worker.postMessage({ ...request, width } satisfies Request)

/** Says what is wrong with a control, beside it. */
const complain = (name: string, problem = "") => {
  controls.get(name)?.setAttribute("aria-invalid", String(problem !== ""))
  const place = document.getElementById(`${name}-problem`)
  if (place !== null && place.textContent !== problem) place.textContent = problem
}

const busy = (state: string) => {
  lab.ariaBusy = String(state !== "")
  at(".lab-state").textContent = state
}

/** Shows the controls that a choice needs, and keeps the place of what will be drawn, so that nothing moves then. */
const arrange = (entries: State.Entries) => {
  const { scenario = "" } = entries
  const calls = Math.min(12, Number(entries["calls"]) || 1)
  lab.style.setProperty("--lab-rows", String(calls))
  lab.dataset["many"] = String(calls > 1)
  lab.dataset["scenario"] = scenario
  for (const story of lab.querySelectorAll(".lab-stories > *"))
    story.ariaHidden = String(story.id !== `story-${scenario}`)
  for (const row of State.rows) {
    const kind = State.kindOf(entries[`request${row}`])
    const field = controls.get(`value${row}`)?.closest<HTMLElement>(".lab-field")
    if (field === null || field === undefined) continue
    field.hidden = kinds[kind][1] === ""
    for (const unit of field.querySelectorAll(".lab-unit")) unit.textContent = kinds[kind][1]
  }
  for (const side of sideNames) {
    const preset = controls.get(`${side}.preset`)
    const policy = State.policyOf(entries, side)
    if (preset !== undefined) preset.value = presetOf(policy) ?? "own policy"
    at(`#lab-${side} .lab-name`).textContent = nameOf(policy)
    for (const field of lab.querySelectorAll<HTMLElement>(`[data-fixed="${side}"]`))
      field.hidden = entries[`${side}.pacing`] !== "Fixed"
  }
}

/** Runs what was entered. If something is wrong with it, says so, and leaves the results. */
const update = () => {
  const entries = entered()
  const problems = State.problemsOf(entries)
  for (const name of Object.keys(State.fields)) complain(name, problems.get(name))
  arrange(entries)
  if (problems.size > 0) return
  asked = entries
  history.replaceState(null, "", State.toFragment(entries) || location.pathname)
  busy("Running …")
  ask({ entries })
}

const show = (results: Results) => {
  const before = shown
  shown = results
  const put = (place: HTMLElement, markup: string, old: string | undefined) => {
    if (markup !== old) place.innerHTML = markup
  }
  for (const name of sideNames) {
    at(`#lab-${name} .lab-verdict`).textContent = results.verdicts[name]
    put(at(`#lab-${name} .lab-picture`), results.pictures[name], before?.pictures[name])
  }
  at(".lab-notes").textContent = results.notes
  put(at(".lab-figures"), results.figures, before?.figures)
  put(at(".lab-charts"), results.chart, before?.chart)
  const { first, total } = results.pages
  if (before?.pages.first !== first || before.pages.total !== total) {
    const turn = (to: number) => button(to < first ? "Earlier calls" : "Later calls", () => ask({ first: to }))
    pages.replaceChildren(
      ...(total <= 12
        ? []
        : [
            turn(Math.max(0, first - 12)),
            ` calls ${first + 1} to ${Math.min(first + 12, total)} of ${total} `,
            turn(Math.min(total - 12, first + 12))
          ])
    )
  }
  const bars = [...lab.querySelectorAll<SVGElement>(".lab-picture rect")]
  const tell = (index: number) => {
    const [title = "", ...sentences] = results.known[index] ?? []
    known.replaceChildren(
      element("h2", {}, title),
      element("ul", {}, ...sentences.map((sentence) => element("li", {}, sentence)))
    )
    for (const [other, bar] of bars.entries()) bar.tabIndex = other === index ? 0 : -1
  }
  for (const [index, bar] of bars.entries()) {
    bar.onfocus = bar.onpointerenter = () => tell(index)
    bar.onkeydown = ({ key }) => bars[index + (key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0)]?.focus()
  }
  if (!bars.some((bar) => bar === document.activeElement)) tell(results.open)
}

worker.onmessage = ({ data }: MessageEvent<Results>) => {
  show(data)
  busy("")
}

/** Shows text that the visitor takes along. */
const give = (title: string, text: string, file: string) => {
  const area = element("textarea", { readOnly: true, value: text, rows: 12, spellcheck: false, ariaLabel: title })
  const copied = element("span", { role: "status" })
  const copy = button("Copy", () => {
    navigator.clipboard.writeText(text).then(
      () => (copied.textContent = "Copied."),
      () => area.select()
    )
  })
  const href = URL.createObjectURL(new Blob([text]))
  const download = element("a", { className: "lab-button", href, download: file }, `Download ${file}`)
  exported.replaceChildren(element("h3", {}, title), area, element("p", {}, copy, " ", download, " ", copied))
  area.focus()
}
const files: Readonly<Record<string, string>> = { Code: "cloud.ts", Test: "scenario.test.ts", Picture: "fault-lab.svg" }
for (const one of lab.querySelectorAll<HTMLButtonElement>(".lab-buttons button")) {
  const title = one.textContent
  one.onclick = () => {
    const link = new URL(State.toFragment(asked), location.href).href
    const text = title === "Link" ? link : shown?.given[title]
    if (text !== undefined) give(title, text, files[title.split(" ")[0] ?? ""] ?? "link.txt")
  }
}

lab.addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return
  const { name, value } = target
  const side = name.endsWith(".preset") ? name.slice(0, 1) : undefined
  const preset = presets[value]
  if (side !== undefined && preset !== undefined) set(State.policyEntries(side, preset))
  if (name === "scenario") set(State.entriesOf(value))
  update()
})

/** Shows what the URL describes. */
const open = () => {
  const { entries, problem } = State.ofFragment(location.hash)
  set(entries)
  update()
  complain("scenario", problem)
}

window.addEventListener("hashchange", open)
// which is asked for no width: that would be a layout within a task
const observer = new ResizeObserver((entries) => {
  const before = { ...width }
  for (const { contentRect, target } of entries) {
    if (target === lab) width.chart = Math.max(260, Math.min(620, contentRect.width))
    else width.timeline = Math.max(260, contentRect.width)
  }
  if (width.timeline === 0 || width.chart === 0) return
  if (before.timeline === 0 || before.chart === 0) open()
  else if (before.timeline !== width.timeline || before.chart !== width.chart) ask({})
})
observer.observe(lab)
observer.observe(at(".lab-picture"))
