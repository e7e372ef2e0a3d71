/** The fault lab in Chromium: it is never busy, nothing moves, and its controls do what they say. */
import type { Page } from "playwright-core"
import type { Kind } from "./pages.ts"
import { visit, weigh, type Site } from "./Site.ts"

/** Largest size of the page after gzip, in kB (1000 bytes), and of a task of the page, in milliseconds of its thread. */
const limits = { size: 250, task: 50, shift: 0.02 }

/** Waits until the lab shows what was chosen. */
const shown = (page: Page) => page.locator('#lab[aria-busy="false"]').waitFor({ timeout: 120_000 })
const change = async (page: Page, act: () => Promise<unknown>) => {
  await act()
  await shown(page)
}

export const kinds: ReadonlyArray<Kind> = ["running", "lost-response", "brown-out", "script"].map((scenario) => ({
  path: scenario === "running" ? "/lab/" : `/lab/#scenario=${scenario}`,
  name: `lab-${scenario}`,
  isWhole: true,
  prepare: async (page) => {
    await shown(page)
    if (scenario === "running") {
      await page.getByLabel("Scenario").selectOption("brown-out")
      return page.locator('#lab[aria-busy="true"]').getByText("Running …").waitFor()
    }
    await page.getByRole("button", { name: "Code of policy A", exact: true }).click()
    await page.getByText("Change policy A").click()
  }
}))

/** What does not work of the controls, with the keyboard alone where that is another way. */
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
    await change(page, () => attempts.fill("1"))
    expect("a mended entry takes the words away", await problem.isHidden())
    expect("a change is in the link, and nothing else", page.url().endsWith("/lab/#A.attempts=1"))
    expect("a change is in the verdict", (await verdict("A")).includes("one attempt"))

    for (const [name, text] of [
      ["Code of policy A", "CloudManagement.layerConfig({"],
      ["Test of policy B", "Faults.Fault.DropAfterSend()"],
      ["Picture", "<svg"],
      ["Link", "/lab/#A.attempts=1"]
    ] as const) {
      await page.getByRole("button", { name, exact: true }).press("Enter")
      const given = await page.locator(".lab-exported textarea").inputValue()
      expect(`${name} gives ${text}`, given.includes(text))
    }

    await change(page, () => page.getByLabel("Scenario").selectOption("script"))
    await change(page, () => page.getByLabel("Request 3").selectOption("Stall"))
    expect("a script is in the link", page.url().endsWith("#scenario=script&request3=Stall"))
    await page.getByLabel("Value 3").waitFor()

    await page.getByLabel("Scenario").selectOption("brown-out")
    await page.locator('#lab[aria-busy="true"]').waitFor()
    await page.setViewportSize({ width: 700, height: 900 })
    await shown(page)
    expect("a new width does not end a run", (await verdict("B")).includes("of 1,000 calls"))

    await page.goto(`${site.url}/lab/#scenario=flood`)
    await page.getByText("This link does not describe a state of the lab").waitFor()
    expect(
      "a wrong link shows the first scenario",
      (await page.getByLabel("Scenario").inputValue()) === "lost-response"
    )

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

/** What the page weighs, in kB, how long its longest task is, by the time of its thread, and how much moves. */
export const measure = (site: Site): Promise<{ readonly said: string; readonly found: ReadonlyArray<string> }> =>
  visit(site, "/404.html", { viewport: { width: 390, height: 844 } }, async (page) => {
    await site.browser.startTracing(page, { categories: ["toplevel"] })
    await page.goto(`${site.url}/lab/`)
    await shown(page)
    const shifts = await page.evaluateHandle(() => {
      const total = { value: 0 }
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if ("value" in entry && "hadRecentInput" in entry && entry.hadRecentInput !== true)
            total.value += Number(entry.value)
      }).observe({ type: "layout-shift", buffered: true })
      return total
    })
    await page.getByLabel("Scenario").selectOption("brown-out")
    await page.locator('#lab[aria-busy="true"]').getByText("Running …").waitFor()
    await shown(page)
    const shift = (await shifts.jsonValue()).value
    const trace: { readonly traceEvents: ReadonlyArray<Readonly<Record<string, unknown>>> } = JSON.parse(
      (await site.browser.stopTracing()).toString()
    )
    const threads = trace.traceEvents.filter(
      ({ args, name }) => name === "thread_name" && JSON.stringify(args).includes("CrRendererMain")
    )
    const longest = Math.max(
      0,
      ...trace.traceEvents
        .filter(
          ({ name, pid, tid }) =>
            name === "ThreadControllerImpl::RunTask" &&
            threads.some((thread) => thread["pid"] === pid && thread["tid"] === tid)
        )
        .map(({ tdur }) => Number(tdur ?? 0) / 1000)
    )
    const size = await weigh(site, page)
    const all = { size, task: longest, shift }
    return {
      said: `${size.toFixed(0)} kB, longest task ${longest.toFixed(0)} ms, shift ${shift.toFixed(3)}`,
      found: Object.entries(limits).flatMap(([name, most]) => {
        const value = name === "size" ? all.size : name === "task" ? all.task : all.shift
        return value <= most ? [] : [`/lab/: ${name} is ${value.toFixed(3)}, of at most ${most}`]
      })
    }
  })
