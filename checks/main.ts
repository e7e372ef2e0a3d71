/**
 * `npm run check NAME …`, or `node checks/main.ts NAME …`: the one way to start a check of the whole. Without a name it lists
 * them all. What follows the name is for the check, whose own file says what that may be.
 */

import { execSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import endWithThis from "./leftovers.ts"

interface Check {
  readonly shows: string
  readonly file?: string
  readonly command?: string
  /** The folder of the workspace whose dependencies it needs: large ones, which `npm run setup` leaves out. */
  readonly needs?: string
}

const checks: Readonly<Record<string, Check>> = {
  test: { file: "test.ts", shows: "everything that must hold: npm test" },
  documents: { file: "documents/main.ts", shows: "each test that a document names has run" },
  snippets: { file: "documents/snippets.ts", shows: "the code in documents and in doc comments compiles" },
  simulate: { file: "simulation/main.ts", shows: "client and service keep their rules under faults, seed by seed" },
  corpus: {
    file: "corpus/main.ts",
    needs: "checks/corpus",
    shows: "documents of real services generate, compile and work"
  },
  races: {
    command:
      "TIMES=40 SEED=${SEED:-$(date +%s)} node_modules/.bin/vitest run checks/crash/crash.test.ts -t 'fit some order'",
    shows: "deletions of keys by one another fit a serial order, and leave one key"
  },
  durability: {
    command: "TIMES=7 SEED=${SEED:-$(date +%s)} node_modules/.bin/vitest run checks/crash/crash.test.ts -t 'kill -9'",
    shows: "acknowledged changes survive SIGKILL"
  },
  cluster: {
    file: "crash/cluster.ts",
    shows: "three nodes behind nginx lose nothing while nodes and the database end"
  },
  failover: { file: "crash/failover.ts", shows: "three nodes lose nothing while PostgreSQL fails over under Patroni" },
  operations: { file: "operations/main.ts", shows: "docs/service/operations.md does what it says, from top to bottom" },
  mutations: {
    command: "checks/mutations/node_modules/.bin/stryker run checks/mutations/stryker.config.json",
    needs: "checks/mutations",
    shows: "which changes of a call's loop no test notices"
  },
  soak: { file: "soak/main.ts", shows: "many calls leave no socket, fiber, timer or memory behind" },
  runtimes: {
    file: "runtimes/main.ts",
    needs: "checks/runtimes",
    shows: "the conformance cases hold in every runtime"
  },
  site: {
    file: "../docs/site/test/main.ts",
    needs: "docs/site",
    shows: "the site has no broken links, and is accessible in a browser"
  },
  "site:serve": {
    command: "npm --prefix docs/site run --silent dev",
    needs: "docs/site",
    shows: "the site, while you write: npm run site"
  },
  "site:build": {
    command: "npm --prefix docs/site run --silent build",
    needs: "docs/site",
    shows: "the site, in docs/site/dist"
  },
  packages: {
    file: "release/packages.ts",
    shows: "the packed packages install, resolve and load outside the workspace"
  },
  ecosystem: { file: "ecosystem/main.ts", shows: "consumer projects work with the packed packages" },
  release: {
    file: "release/release.ts",
    shows: "checks that the packed packages can be published, and publishes them"
  },
  version: {
    file: "release/version.ts",
    shows: "raises the version of all packages, after npx changeset, and writes their changelogs"
  },
  size: { file: "size.ts", shows: "the size of the client in a page" },
  compare: {
    file: "bench/compare.ts",
    shows: "how calls of this client and of other libraries end under the same faults"
  },
  bench: { file: "bench/budgets.ts", shows: "what a call, a request and a page may cost, and what they do" },
  "bench:generators": {
    file: "bench/generators.ts",
    needs: "checks/corpus",
    shows: "what several generators make of one document"
  },
  "bench:growth": { file: "bench/growth.ts", shows: "the generator takes twice as long for twice the document" },
  "bench:growth:calls": { file: "bench/growthOfCalls.ts", shows: "calls take twice as long for twice the input" },
  "bench:requests": { file: "bench/requests.ts", shows: "how many requests a core can serve" },
  "bench:start": { file: "bench/start.ts", shows: "how long the command and programs take to start" }
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
  if (check.file !== undefined) await import(new URL(check.file, import.meta.url).href)
  else if (check.command !== undefined) {
    process.exitCode = spawnSync(check.command, { shell: true, stdio: "inherit" }).status ?? 1
  }
}
