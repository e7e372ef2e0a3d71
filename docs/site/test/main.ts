/**
 * `npm run check site`: builds the site, follows every link, and visits it in Chromium. `-- --pictures FOLDER` only takes
 * pictures of home, a guide, an error and the lab, in narrow and wide windows, light and dark.
 */
import { spawnSync } from "node:child_process"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Examples from "./examples.ts"
import * as Lab from "./lab.ts"
import * as Links from "./links.ts"
import * as Pages from "./pages.ts"
import * as Search from "./search.ts"
import * as Program from "../../../checks/fixtures/Program.ts"
import { root, withSite } from "./Site.ts"

const { pictures } = parseArgs({ options: { pictures: { type: "string" } } }).values
const wrong: Array<string> = []
const start = performance.now()
const report = (name: string, found: ReadonlyArray<string>) => {
  wrong.push(...found)
  console.log(`${((performance.now() - start) / 1000).toFixed(0).padStart(3)} s  ${name}: ${found.length}`)
}

/** The output of a command of the site matters only when it fails. */
const run = (command: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { error, status, stderr, stdout } = spawnSync(command, args, { cwd: root, encoding: "utf8" })
  return status === 0 ? [] : [error === undefined ? stdout + stderr : String(error)]
}

report("failed builds", run("npm", "run", "--silent", "build"))
if (wrong.length === 0 && pictures !== undefined) {
  const kinds = [...Pages.firsts, ...Lab.kinds]
  await withSite(async (site) => report("axe violations", await Pages.violations(site, kinds, resolve(pictures))))
} else if (wrong.length === 0) {
  report("failed type checks", run("../../node_modules/.bin/tsc", "-p", "."))
  report("failed tests of the lab", run("../../node_modules/.bin/vitest", "run"))
  const { broken, count } = Links.check()
  report(`broken links of ${count} on ${Links.paths().length} pages`, broken)
  if (Program.isThere("chromium"))
    await withSite(async (site) => {
      report("examples that print something else or more than fits", await Examples.run(site))
      report("axe violations, dark and light", await Pages.violations(site, [...Pages.kinds, ...Lab.kinds]))
      report(
        "pages wider than their window, tables wider than their column, or something from elsewhere",
        await Pages.narrow(site)
      )
      report("pages without a Content-Security-Policy, or that run other scripts", await Pages.unsafe(site))
      report("home pages over 100 kB", await Pages.heavy(site))
      report("searches that find another page first", await Search.misses(site))
      report("faults with the keyboard alone", await Pages.keyboard(site))
      report("controls of the lab that fail", await Lab.controls(site))
      report("reports of the lab that are taken for others", await Lab.reports(site))
      const measured = await Lab.measure(site)
      report(`lab: ${measured.said}; wrong`, measured.found)
    })
}
for (const line of wrong) console.error(line)
if (wrong.length > 0) process.exitCode = 1
