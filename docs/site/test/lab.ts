/** The fault lab in Chromium: it is never busy, nothing moves, and its controls do what they say. */
import type { Page } from "playwright-core"
import type { Kind } from "./pages.ts"
import { visit, weigh, type Site } from "./Site.ts"

const shown = (page: Page) => page.locator('#lab[aria-busy="false"]').waitFor({ timeout: 120_000 })
const workers = /worker[^/]*\.js$/
/** A run that has begun and does not end before it is let go on. */
const start = async (page: Page) => {
  const held = Promise.withResolvers<void>()
  await page.route(workers, (route) => held.promise.then(() => route.continue()))
  await page.reload()
  await page.locator('#lab[aria-busy="true"]').getByText("Running …").waitFor()
  return held.resolve
}

const scenarios: ReadonlyArray<Kind> = ["lost-response", "brown-out", "script"].map((scenario) => ({
  path: `/lab/#scenario=${scenario}`,
  name: `lab-${scenario}`,
  isWhole: true,
  prepare: async (page) => {
    await shown(page)
    await page.getByRole("button", { name: "Code of policy A", exact: true }).click()
    await page.getByText("Change policy A").click()
  }
}))
export const kinds = [
  ...scenarios,
  { path: "/lab/", name: "lab-running", isWhole: true, prepare: async (page: Page) => void (await start(page)) }
]

/** With the keyboard alone, where that is another way. */
export const controls = (site: Site): Promise<ReadonlyArray<string>> =>
  visit(site, "/lab/", {}, async (page) => {
    const found: Array<string> = []
    const expect = (name: string, holds: boolean) => void (holds || found.push(`/lab/: ${name}`))
    const known = async () => (await page.locator(".lab-known").textContent()) ?? ""
    const verdict = async (side: string) => (await page.locator(`#lab-${side} .lab-verdict`).textContent()) ?? ""
    await shown(page)
    expect("the link is as short as it can be", new URL(page.url()).hash === "")

    await page.locator('rect[tabindex="0"]').focus()
    expect("it opens at the failed attempt", (await known()).includes("policy B, call 1, attempt 1"))
    await page.keyboard.press("ArrowLeft")
    expect("an arrow key shows the attempt before", (await known()).includes("policy A, call 1, attempt 2"))
    await page.locator('rect[aria-label^="Policy A, call 1, attempt 1"]').hover()
    expect("the pointer shows an attempt", (await known()).includes("policy A, call 1, attempt 1"))

    await page.getByText("Change policy A").press("Enter")
    const attempts = page.getByRole("group", { name: "Policy A" }).getByLabel("Maximum attempts")
    const [before, problem] = [await verdict("A"), page.getByText("Enter a whole number from 1 to 100.")]
    await attempts.fill("")
    await problem.waitFor()
    const [field, words] = [await attempts.boundingBox(), await problem.boundingBox()]
    expect("words are beside their field", Math.abs((field?.y ?? 0) - (words?.y ?? 1000)) < 60)
    expect("a wrong entry leaves the results", (await verdict("A")) === before && before.includes("succeeded"))
    await page.getByText("Not run: a field is wrong.").waitFor()
    expect("a wrong entry is in no title", (await page.locator("#lab-A .lab-name").textContent()) === "Retry.standard")
    await attempts.fill("1")
    await shown(page)
    expect("a mended entry takes the words away", await problem.isHidden())
    expect("a change is in the link, and nothing else", page.url().endsWith("/lab/#A.attempts=1"))
    expect("a change is in the verdict", (await verdict("A")).includes("one attempt"))

    for (const [name, text, file] of [
      ["Code of policy A", "CloudManagement.layerConfig({", "cloud-a.ts"],
      ["Test of policy B", "Faults.Fault.DropAfterSend()", "scenario-b.test.ts"],
      ["Picture", "<svg", "fault-lab.svg"],
      ["Link", "/lab/#A.attempts=1", "link.txt"]
    ] as const) {
      await page.getByRole("button", { name, exact: true }).press("Enter")
      const given = await page.locator(".lab-exported textarea").inputValue()
      expect(`${name} gives ${text}`, given.includes(text))
      expect(`${name} is saved as ${file}`, await page.getByText(`Download ${file}`, { exact: true }).isVisible())
    }

    await page.getByLabel("Scenario").selectOption("script")
    await page.getByLabel("Request 3").selectOption("Stall")
    await page.getByLabel("Value 3").waitFor()
    expect("a script is in the link", page.url().endsWith("#scenario=script&request3=Stall"))

    await page.getByLabel("Scenario").selectOption("brown-out")
    const goOn = await start(page)
    await page.setViewportSize({ width: 700, height: 900 })
    goOn()
    await shown(page)
    expect("a new width does not end a run", (await verdict("B")).includes("of 1,000 calls"))
    await page.getByRole("button", { name: "Later calls" }).press("Enter")
    await page.getByText("calls 241 to 252 of 1000").waitFor()

    await page.evaluate(() => (location.hash = "_top"))
    await page.waitForURL(/#scenario=brown-out$/)
    await page.goto(`${site.url}/lab/#scenario=flood`)
    await page.getByText("This link does not describe a state of the lab").waitFor()

    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      const small = await page
        .locator("#lab :is(button, select, input, summary, textarea)")
        .evaluateAll((all) =>
          all.filter((one) => one.clientHeight > 0 && one.clientHeight < 24).map(({ outerHTML }) => outerHTML)
        )
      expect(`targets of 24 px: ${small.join()}`, small.length === 0)
    }
    return found
  })

/** A worker that reports late, or not at all. */
export const reports = (site: Site): Promise<ReadonlyArray<string>> =>
  visit(site, "/404.html", {}, async (page) => {
    await page.addInitScript(() => {
      let isFirst = true
      window.Worker = class extends Worker {
        constructor(url: string | URL, options?: WorkerOptions) {
          super(url, options)
          // before the page's own listener takes the report
          this.addEventListener("message", () => {
            const scenario = document.querySelector<HTMLSelectElement>("[name=scenario]")
            if (!isFirst || scenario === null) return
            isFirst = false
            scenario.value = "brown-out"
            scenario.dispatchEvent(new Event("input", { bubbles: true }))
          })
        }
      }
    })
    await page.goto(`${site.url}/lab/`)
    await shown(page)
    const verdict = (await page.locator("#lab-A .lab-verdict").textContent()) ?? ""
    const found = verdict.includes("of 1,000 calls") ? [] : [`/lab/: shows results of earlier entries: ${verdict}`]

    await page.route(workers, (route) => route.abort())
    await page.reload()
    await page.getByText("Not run: the worker cannot be loaded. Reload the page.").waitFor()
    return found
  })

/** An event of Chromium's trace: a thread's name, a task with its microseconds of the thread, or what moves. */
interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly tdur?: number
  readonly args: {
    readonly name?: string
    readonly data?: { readonly score: number; readonly had_recent_input: boolean }
  }
}

/** Tasks are measured by the time of their thread. */
const measureOnce = (site: Site) =>
  visit(site, "/404.html", { viewport: { width: 390, height: 4000 } }, async (page) => {
    await site.browser.startTracing(page, { categories: ["toplevel", "loading"] })
    await page.goto(`${site.url}/lab/`)
    await shown(page)
    // the choice itself may move what is below it, but not the results, later
    for (let row = 0; row < 3; row++) await page.getByLabel("Scenario").press("ArrowDown")
    await shown(page)
    const trace = (await site.browser.stopTracing()).toString()
    const { traceEvents }: { readonly traceEvents: ReadonlyArray<TraceEvent> } = JSON.parse(trace)
    const threads = Map.groupBy(traceEvents, ({ pid, tid }) => `${pid} ${tid}`)
    const ofPages = [...threads.values()].filter((all) => all.some(({ args }) => args.name === "CrRendererMain")).flat()
    const tasks = ofPages.filter(({ name }) => name === "ThreadControllerImpl::RunTask")
    const shifts = ofPages.filter(({ args, name }) => name === "LayoutShift" && args.data?.had_recent_input === false)
    return {
      weight: await weigh(site, page),
      longest: Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000)),
      moved: shifts.reduce((sum, { args }) => sum + (args.data?.score ?? 0), 0)
    }
  })

/**
 * Of three visits, the shortest of the longest tasks: a browser that has just started, and a busy machine, only add to a task's
 * time, and what is long in the page is long in each visit.
 */
export const measure = async (
  site: Site
): Promise<{ readonly said: string; readonly found: ReadonlyArray<string> }> => {
  const visits = [await measureOnce(site), await measureOnce(site), await measureOnce(site)]
  const measured = [
    ["kB", Math.max(...visits.map(({ weight }) => weight)), 250],
    ["ms of the longest task", Math.min(...visits.map(({ longest }) => longest)), 50],
    ["moved", Math.max(...visits.map(({ moved }) => moved)), 0.001]
  ] as const
  return {
    said: measured.map(([unit, value]) => `${value.toFixed(3)} ${unit}`).join(", "),
    found: measured.flatMap(([unit, value, most]) =>
      value <= most ? [] : [`/lab/: ${value.toFixed(3)} ${unit}, of at most ${most}`]
    )
  }
}
