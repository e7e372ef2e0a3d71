/** Brings the page of the fault lab, lab.astro, to life: reads its form, and shows what the worker makes of it. */
import { button, element } from "../element.ts"
import { page } from "./field.ts"
import "./lab.css"
import { nameOf, presetOf, presets } from "./policy.ts"
import { kinds, sideNames } from "./scenario.ts"
import * as State from "./state.ts"
import type { Report, Request } from "./worker.ts"

const at = (selector: string) => {
  const found = document.querySelector<HTMLElement>(selector)
  if (found === null) throw new Error(`lab.astro lacks ${selector}`)
  return found
}
const lab = at("#lab")
const controls = new Map(
  Array.from(lab.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[name]"), (control) => [control.name, control])
)
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" })

let shown: Report | undefined
let asked = State.initial
/** The number of `asked`, by which results of earlier entries are known. */
let run = 0
/** The width of pictures; none before the page has its layout. */
let width = 0

const ask = (request: Omit<Request, "width" | "run">) =>
  worker.postMessage({ ...request, width, run } satisfies Request)

const set = (entries: State.Entries) => {
  for (const [name, control] of controls) control.value = entries[name] ?? control.value
}

const complain = (name: string, problem = "") => {
  controls.get(name)?.setAttribute("aria-invalid", String(problem !== ""))
  const place = document.getElementById(`${name}-problem`)
  if (place !== null && place.textContent !== problem) place.textContent = problem
}

/** Why what is entered is not run. */
let held = ""
const busy = (isBusy: boolean) => {
  lab.ariaBusy = String(isBusy)
  // a space keeps its line
  at(".lab-state").textContent = held || (isBusy ? "Running …" : "\u00a0")
}

/** Shows the controls that a choice needs, and keeps the place of what will be drawn, so that nothing moves then. */
const arrange = (entries: State.Entries) => {
  const { scenario = "" } = entries
  const calls = Number(entries["calls"])
  lab.style.setProperty("--lab-rows", String(Math.min(page, calls || 1)))
  at(".lab-charts").hidden = calls <= 1
  at(".lab-pages").hidden = calls <= page
  at(".lab-script").hidden = scenario !== "script"
  for (const story of lab.querySelectorAll(".lab-stories > *"))
    story.ariaHidden = String(story.id !== `story-${scenario}`)
  for (const row of State.rows) {
    const field = at(`.lab-field:has([name="value${row}"])`)
    const { unit = "" } = kinds[State.kindOf(entries[`request${row}`])][1]
    field.hidden = unit === ""
    for (const place of field.querySelectorAll(".lab-unit")) place.textContent = unit
  }
  for (const side of sideNames) {
    const policy = State.policyOf(entries, side)
    set({ [`${side}.preset`]: presetOf(policy) ?? "own policy" })
    for (const field of lab.querySelectorAll<HTMLElement>(`[data-fixed="${side}"]`))
      field.hidden = policy.pacing !== "Fixed"
  }
}

/** Runs what was entered. If something is wrong with it, says so, and leaves the results. */
const update = () => {
  const names = Object.keys(State.fields)
  const entries = Object.fromEntries(names.map((name) => [name, controls.get(name)?.value ?? ""]))
  const problems = State.problemsOf(entries)
  for (const name of names) complain(name, problems.has(name) ? `Enter ${problems.get(name)}.` : "")
  arrange(entries)
  held = problems.size > 0 ? "Not run: a field is wrong. The results are those before." : ""
  if (problems.size > 0) return busy(lab.ariaBusy === "true")
  asked = entries
  for (const side of sideNames) at(`#lab-${side} .lab-name`).textContent = nameOf(State.policyOf(entries, side))
  history.replaceState(null, "", State.toFragment(entries) || location.pathname)
  busy(true)
  run++
  ask({ entries })
}

worker.onerror = ({ message }) => {
  held = `Not run: ${message || "the worker cannot be loaded"}. Reload the page.`
  busy(false)
}
worker.onmessage = ({ data }: MessageEvent<Report>) => {
  if (data.run !== run) return
  shown = data
  const { chart, figures, known, notes, open, pages, sides } = data
  for (const { name, picture, verdict } of sides) {
    at(`#lab-${name} .lab-verdict`).textContent = verdict
    at(`#lab-${name} .lab-picture`).innerHTML = picture
  }
  at(".lab-notes").textContent = notes
  at(".lab-figures").innerHTML = figures
  at(".lab-charts").innerHTML = chart
  at(".lab-pages span").textContent = pages
  const bars = [...lab.querySelectorAll<SVGElement>(".lab-picture rect")]
  const tell = (index: number) => {
    const [title = "", ...sentences] = known[index] ?? []
    const items = sentences.map((sentence) => element("li", {}, sentence))
    at(".lab-known").replaceChildren(element("h2", {}, title), element("ul", {}, ...items))
    for (const [other, bar] of bars.entries()) bar.tabIndex = other === index ? 0 : -1
  }
  for (const [index, bar] of bars.entries()) {
    bar.onfocus = bar.onpointerenter = () => tell(index)
    bar.onkeydown = ({ key }) => bars[index + (key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0)]?.focus()
  }
  tell(open)
  busy(false)
}
for (const [index, one] of lab.querySelectorAll<HTMLElement>(".lab-pages button").entries())
  one.onclick = () => ask({ first: (shown?.first ?? 0) + (index === 0 ? -page : page) })

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
  const ways = element("p", {}, copy, " ", download, " ", copied)
  at(".lab-exported").replaceChildren(element("h3", {}, title), area, ways)
  area.focus()
}
/** Those of both policies fit into one folder. */
const fileOf = (title: string): string => {
  const side = title.at(-1)?.toLowerCase()
  if (title.startsWith("Code")) return `cloud-${side}.ts`
  if (title.startsWith("Test")) return `scenario-${side}.test.ts`
  return title === "Picture" ? "fault-lab.svg" : "link.txt"
}
for (const one of lab.querySelectorAll<HTMLElement>(".lab-buttons button")) {
  const title = one.textContent
  one.onclick = () => {
    const text = title === "Link" ? new URL(State.toFragment(asked), location.href).href : shown?.given[title]
    if (text !== undefined) give(title, text, fileOf(title))
  }
}

lab.addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return
  const { name, value } = target
  const preset = name.endsWith(".preset") ? presets[value] : undefined
  if (preset !== undefined) set(State.policyEntries(name.slice(0, 1), preset))
  if (name === "scenario") set(State.entriesOf(value))
  update()
})

/** Shows what the URL describes; an anchor of the page leaves what is shown. */
const open = () => {
  const isAnchor = document.getElementById(location.hash.slice(1)) !== null
  const { entries, problem } = State.ofFragment(isAnchor ? State.toFragment(asked) : location.hash)
  set(entries)
  update()
  complain("scenario", problem)
}

window.addEventListener("hashchange", open)
// which is asked for no width: that would be a layout within a task
new ResizeObserver(([entry]) => {
  const before = width
  width = Math.max(260, entry?.contentRect.width ?? 0)
  if (before === 0) open()
  else if (before !== width) ask({})
}).observe(at(".lab-picture"))
