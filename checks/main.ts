/** `npm run check NAME …` runs a check; what follows the name is for that one. Without a name it lists them all. */

import { execSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import endWithThis from "./leftovers.ts"

interface Check {
  readonly shows: string
  readonly run: () => Promise<unknown> | void
  /** The folder of the workspace whose dependencies it needs: large ones, which `npm run setup` leaves out. */
  readonly needs: string | undefined
}

const file = (path: string, shows: string, needs?: string): Check => ({
  shows,
  needs,
  run: () => import(new URL(path, import.meta.url).href)
})
const command = (line: string, shows: string, needs?: string): Check => ({
  shows,
  needs,
  run: () => {
    process.exitCode = spawnSync(line, { shell: true, stdio: "inherit" }).status ?? 1
  }
})
const crash = (times: number, title: string) =>
  `TIMES=${times} SEED=\${SEED:-$(date +%s)} node_modules/.bin/vitest run checks/crash/crash.test.ts -t '${title}'`
const stryker = "checks/mutations/node_modules/.bin/stryker run checks/mutations/stryker.config.json"
const site = "docs/site"
const peers = "checks/bench/peers"

const checks: Readonly<Record<string, Check>> = {
  test: file("test.ts", "everything that must hold: npm test"),
  documents: file("documents/main.ts", "each test that a document names has run"),
  snippets: file("documents/snippets.ts", "the code in documents and in doc comments compiles"),
  simulate: file("simulation/main.ts", "client and service keep their rules under faults, seed by seed"),
  corpus: file("corpus/main.ts", "documents of real services generate, compile and work", "checks/corpus"),
  races: command(crash(40, "fit some order"), "deletions of keys by one another fit a serial order, and leave one key"),
  durability: command(crash(7, "kill -9"), "acknowledged changes survive SIGKILL"),
  cluster: file("crash/cluster.ts", "three nodes behind nginx lose nothing while nodes and the database end"),
  failover: file("crash/failover.ts", "three nodes lose nothing while PostgreSQL fails over under Patroni"),
  operations: file("operations/main.ts", "docs/service/operations.md does what it says, from top to bottom"),
  mutations: command(stryker, "which changes of a call's loop no test notices", "checks/mutations"),
  soak: file("soak/main.ts", "many calls leave no socket, fiber, timer or memory behind"),
  runtimes: file("runtimes/main.ts", "the conformance cases hold in every runtime", "checks/runtimes"),
  site: file("../docs/site/test/main.ts", "the site has no broken links, and is accessible in a browser", site),
  "site:serve": command("npm --prefix docs/site run --silent dev", "the site, while you write: npm run site", site),
  "site:build": command("npm --prefix docs/site run --silent build", "the site, in docs/site/dist", site),
  packages: file("release/packages.ts", "the packed packages install, resolve and load outside the workspace"),
  ecosystem: file("ecosystem/main.ts", "consumer projects work with the packed packages"),
  release: file("release/release.ts", "checks that the packed packages can be published, and publishes them"),
  version: file("release/version.ts", "raises the version of all packages, after npx changeset, and their changelogs"),
  size: file("size.ts", "the size of the client in a page"),
  compare: file("bench/compare.ts", "how calls of this client and of other libraries end under the same faults", peers),
  bench: file("bench/budgets.ts", "what a call, a request and a page may cost, and what they do", peers),
  "bench:generators": file("bench/generators.ts", "what several generators make of one document", "checks/corpus"),
  "bench:growth": file("bench/growth.ts", "the generator takes twice as long for twice the document"),
  "bench:growth:calls": file("bench/growthOfCalls.ts", "calls take twice as long for twice the input"),
  "bench:requests": file("bench/requests.ts", "how many requests a core can serve", peers),
  "bench:start": file("bench/start.ts", "how long the command and programs take to start")
}

/** Installs what a folder of the workspace depends on, as `npm run setup` does for the others. */
const install = (folder: string) => {
  const { packageManager }: { readonly packageManager: string } = JSON.parse(readFileSync("package.json", "utf8"))
  const options = `--frozen-lockfile --prefer-offline --loglevel=error --filter "./${folder}"`
  execSync(`npx --yes --loglevel=error ${packageManager} install ${options}`, { stdio: "inherit" })
}

const [name = ""] = process.argv.splice(2, 1)
const check = Object.hasOwn(checks, name) ? checks[name] : undefined
if (check === undefined) {
  for (const [name, { shows }] of Object.entries(checks)) console.error(`${name.padEnd(16)} ${shows}`)
  console.error(name === "" ? "Name a check." : `There is no check named ${name}.`)
  process.exitCode = 2
} else {
  endWithThis()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
  if (check.needs !== undefined) install(check.needs)
  await check.run()
}
