/** The fault lab in Chromium: what it shows is what the client reports, for everybody, soon, and with few bytes. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Run from "../src/lab/run.ts"
import { scenarios, sideNames } from "../src/lab/scenario.ts"
import * as State from "../src/lab/state.ts"
import { rows } from "../src/lab/table.ts"
import type { Kind } from "./pages.ts"
import { root, visit, type Site } from "./Site.ts"

/** Largest size of the page after gzip without the plotting library, in kB (1000 bytes). */
const limit = 250

/** Where what came of a run is shown. */
const results = ".lab-picture, .lab-known, .lab-figures, .lab-charts, .lab-table, .lab-buttons, .lab-exported"

const lab = (page: Page) => page.locator("#lab")
/** Waits until the lab shows what was chosen. */
const shown = (page: Page) => lab(page).and(page.locator("[data-took]")).waitFor({ timeout: 120_000 })
/** The same, and until it has run other seeds too. */
const settled = (page: Page) => lab(page).and(page.locator("[data-seeds]")).waitFor({ timeout: 120_000 })
/** Changes something, and waits until the lab shows what came of it. */
const change = async (page: Page, act: () => Promise<unknown>) => {
  await lab(page).evaluate(({ dataset }) => {
    delete dataset["took"]
    delete dataset["seeds"]
  })
  await act()
  await shown(page)
}

const cassette = JSON.stringify({
  version: 1,
  entries: [
    {
      request: { method: "DELETE", path: `/v1/organizations/${Fixtures.acme}/keys/${Fixtures.backupKey.id}` },
      millis: 120,
      response: { status: 403, headers: {}, body: { json: { status: 403, error: "FORBIDDEN: No" } } }
    }
  ]
})

const states: ReadonlyArray<State.State> = [
  ...[...Struct.keys(scenarios), "script" as const].map((name) => State.choose(State.initial, name)),
  { ...State.initial, scenario: "cassette", cassette: { file: "forbidden.json", text: cassette } }
]

/** What the page's table says in another way than the engine, which the tests compare with the client's reports. */
export const differences = async (site: Site): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const { calls: _, ...chosen } of states) {
    // as many calls as are shown at once
    const state: State.State = { ...chosen, calls: 12, seed: 5 }
    const setup = Result.getOrThrow(State.setupOf(state))
    const expected = rows(
      await Promise.all(
        sideNames.map(async (name) => ({
          name,
          ...(await Effect.runPromise(Run.run(setup, state[name], state.seed)))
        }))
      )
    )
    await visit(site, `/lab/${State.toFragment(state)}`, {}, async (page) => {
      await shown(page)
      const table = await page
        .locator("#lab details table tbody tr")
        .evaluateAll((rows) => rows.map((row) => [...row.children].map(({ textContent }) => textContent)))
      if (JSON.stringify(table) !== JSON.stringify(expected)) {
        const index = expected.findIndex((row, index) => JSON.stringify(row) !== JSON.stringify(table[index]))
        found.push(
          `/lab/, ${state.scenario}: the page shows ${table[index]?.join(", ")}, the engine ${expected[index]?.join(", ")}`
        )
      }
    })
  }
  return found
}

/** The lab with one call, with many, and with each form. */
export const kinds: ReadonlyArray<Kind> = states
  .filter(({ scenario }) => /^(?:lost-response|rate-limit|script|cassette)$/.test(scenario))
  .map((state) => ({
    path: `/lab/${State.toFragment(state)}`,
    name: `lab-${state.scenario}`,
    prepare: async (page) => {
      await shown(page)
      await page.getByRole("button", { name: "Code of policy A", exact: true }).click()
      await page.getByText("The timelines as a table").click()
    }
  }))

/** What does not work of the controls, with the keyboard alone where that is another way. */
export const controls = (site: Site): Promise<ReadonlyArray<string>> =>
  visit(site, "/lab/", {}, async (page) => {
    const found: Array<string> = []
    const expect = (name: string, holds: boolean) => void (holds || found.push(`/lab/: ${name}`))
    await settled(page)
    const known = page.locator(".lab-known")
    const problem = page.getByRole("alert")
    const exported = page.locator(".lab-exported textarea")

    await page.getByRole("button", { name: "Picture", exact: true }).press("Enter")
    const picture = readFileSync(join(root, "../fault-lab.svg"), "utf8")
    expect("docs/fault-lab.svg, which the README shows, is today's picture", (await exported.inputValue()) === picture)

    await page.locator('rect[tabindex="0"]').first().focus()
    expect("the focus shows an attempt", ((await known.textContent()) ?? "").includes("attempt 1"))
    await page.keyboard.press("ArrowRight")
    expect("an arrow key shows the next attempt", ((await known.textContent()) ?? "").includes("attempt 2"))
    await page.locator('rect[aria-label^="Call 1, attempt 1"]').first().hover()
    expect("the pointer shows an attempt", ((await known.textContent()) ?? "").includes("attempt 1"))

    const attempts = page.getByRole("group", { name: "Policy A" }).getByLabel("Maximum attempts")
    const resultsAreHidden = async () => {
      for (const place of await page.locator(results).all()) await place.waitFor({ state: "hidden" })
    }
    await attempts.fill("")
    await problem.getByText("attempts").waitFor()
    await resultsAreHidden()
    await page.getByRole("group", { name: "Policy B" }).getByLabel("Maximum attempts").fill("2")
    expect("an entry of the other policy does not mend it", (await problem.textContent())?.includes('["A"]') === true)
    await resultsAreHidden()
    await change(page, () => attempts.fill("1"))
    expect("a mended entry takes the problem away", await problem.isHidden())
    expect("a change is in the link", decodeURIComponent(page.url()).includes('"attempts":1'))

    for (const [name, text] of [
      ["Code of policy A", "CloudManagement.layerConfig({"],
      ["Test of policy B", "Faults.Fault.DropAfterSend()"],
      ["Picture", "<svg"],
      ["Link", "/lab/#"]
    ] as const) {
      await page.getByRole("button", { name, exact: true }).press("Enter")
      const given = await exported.inputValue()
      expect(`${name} gives ${text}`, given.includes(text))
      expect(`${name} is of use elsewhere`, !given.includes("var(--"))
    }

    const script = page.getByLabel("Scenario")
    await change(page, () => script.selectOption("script"))
    await change(page, () => page.getByRole("button", { name: "Add a fault" }).press("Enter"))
    await change(page, () => page.getByLabel("Request 3").selectOption("Hang"))
    expect("a script is in the link", decodeURIComponent(page.url()).includes('"_tag":"Hang"'))
    await change(page, () => page.getByRole("button", { name: "Remove 3" }).press("Enter"))
    expect("a fault can be removed", !decodeURIComponent(page.url()).includes('"_tag":"Hang"'))

    const given = await page.evaluate(() => {
      const select = document.querySelector<HTMLSelectElement>("#lab select")
      if (select !== null) select.value = "node-dies"
      select?.dispatchEvent(new Event("change"))
      return Array.from(document.querySelectorAll<HTMLButtonElement>(".lab-buttons button"), (button) => {
        button.click()
        return document.querySelector<HTMLTextAreaElement>(".lab-exported textarea")?.value
      })
    })
    expect(
      `a change leaves nothing to take until it has run: ${given.join(", ")}`,
      given.every((text) => text === undefined)
    )
    await shown(page)

    await script.selectOption("cassette")
    await resultsAreHidden()
    await problem.getByText("Choose the file of a cassette").waitFor()
    const file = page.getByLabel("Choose a cassette")
    await file.setInputFiles({ name: "notes.json", mimeType: "application/json", buffer: Buffer.from("hello") })
    await problem.getByText("This is not a cassette").waitFor()
    await change(page, () =>
      file.setInputFiles({ name: "a.json", mimeType: "application/json", buffer: Buffer.from(cassette) })
    )
    await page.locator("svg").getByText("failed: Forbidden").first().waitFor()

    const large = State.toFragment(State.initial).replace("attempts%22%3A3", "attempts%22%3A1e9")
    for (const fragment of ["#%7B%22scenario%22", large]) {
      await page.goto(`${site.url}/lab/${State.toFragment({ ...State.initial, scenario: "script" })}`)
      await shown(page)
      await page.goto(`${site.url}/lab/${fragment}`)
      await problem.getByText("This link does not describe a state of the lab").waitFor()
      expect("a wrong link shows the first scenario", (await script.inputValue()) === State.initial.scenario)
    }
    return found
  })

/** What the page weighs, in kB. */
export const measure = (site: Site): Promise<{ readonly said: string; readonly found: ReadonlyArray<string> }> =>
  visit(site, "/lab/", {}, async (page) => {
    await settled(page)
    const paths = await page.evaluate(() =>
      [location.href, ...performance.getEntriesByType("resource").map(({ name }) => name)].map(
        (url) => new URL(url).pathname
      )
    )
    const weigh = async (path: string) => {
      const body = Buffer.from(await (await fetch(`${site.url}${path}`)).arrayBuffer())
      return { size: gzipSync(body).length / 1000, plotting: body.includes("plot-d6a7b5") }
    }
    const all = await Promise.all([...new Set(paths)].filter((path) => /(\/|\.js|\.css)$/.test(path)).map(weigh))
    const size = all.reduce((sum, { plotting, size }) => sum + (plotting ? 0 : size), 0)

    return {
      said: `${size.toFixed(0)} kB of at most ${limit} without the plotting library`,
      found:
        size > limit
          ? [`/lab/ weighs ${size.toFixed(0)} kB`]
          : all.some(({ plotting }) => plotting)
            ? []
            : ["/lab/: the plotting library is not found"]
    }
  })
