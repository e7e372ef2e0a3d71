/**
 * `node checks/main.ts NAME …`: the one way to start a check of the whole; the npm scripts are names for it. Without a
 * name it lists them all. What follows the name is for the check, whose own file says what that may be.
 */

import endWithThis from "./leftovers.ts"

/** The file of each check, and what it shows. */
export const checks: Readonly<Record<string, readonly [file: string, shows: string]>> = {
  test: ["test.ts", "everything that must hold: npm test"],
  busy: ["busy.ts", "npm test passes on a busy machine"],
  documents: ["documents/main.ts", "each test that a document names has run"],
  snippets: ["documents/snippets.ts", "the code in documents and in doc comments compiles"],
  boundaries: ["boundaries.ts", "the linter rejects what a package must not import or do"],
  simulate: ["simulation/main.ts", "client and service keep their rules under faults, seed by seed"],
  fuzz: ["fuzz/main.ts", "the service answers requests of every kind as a model does"],
  corpus: ["corpus/main.ts", "documents of real services generate, compile and answer: npm run test:corpus"],
  "corpus:fuzz": ["corpus/fuzz.ts", "mutated documents of the corpus generate, and the code compiles"],
  races: ["crash/races.ts", "deletions of keys by one another fit a serial order, and leave one key"],
  durability: ["crash/durability.ts", "acknowledged changes survive SIGKILL"],
  cluster: ["crash/cluster.ts", "three nodes behind nginx lose nothing while nodes and the database end"],
  failover: ["crash/failover.ts", "three nodes lose nothing while PostgreSQL fails over under Patroni"],
  operations: ["operations/main.ts", "docs/service/operations.md does what it says, from top to bottom"],
  addition: ["addition.ts", "an operation is added in few places, and what is left out is named"],
  registry: ["registry/main.ts", "operations of one's own work with a server that nobody here wrote"],
  slow: ["slow/main.ts", "slow sockets do not delay others, and are closed"],
  soak: ["soak/main.ts", "many calls leave no socket, fiber, timer or memory behind"],
  runtimes: ["runtimes/main.ts", "the conformance cases hold in every runtime"],
  site: ["../docs/site/test/main.ts", "the site has no broken links, and is accessible in a browser"],
  oldest: ["oldest.ts", "the command and its server run on the oldest Node.js"],
  lines: ["lines.ts", "how many authored lines and tokens there are"],
  packages: ["release/packages.ts", "the packed packages install, resolve and load outside the workspace"],
  ecosystem: ["ecosystem/main.ts", "consumer projects work with the packed packages"],
  release: ["release/release.ts", "checks that the packed packages can be published, and publishes them"],
  version: ["release/version.ts", "writes the new version into the sources: npm run bump"],
  size: ["size.ts", "the size of the client in a page"],
  compare: ["bench/compare.ts", "how calls of this client and of other libraries end under the same faults"],
  bench: ["bench/budgets.ts", "what a call, a request and a page may cost, and what they do"],
  "bench:endings": ["bench/endings.ts", "the cost of many calls that end at once"],
  "bench:generators": ["bench/generators.ts", "what several generators make of one document"],
  "bench:keys": ["bench/keys.ts", "the cost of a read with 1,000,000 keys"],
  "bench:delayed": ["bench/delayed.ts", "what a network that delays costs with PostgreSQL"],
  "bench:requests": ["bench/requests.ts", "how many requests a core can serve"],
  "bench:scale": ["bench/scale.ts", "the cost of a request with one, two and three nodes"],
  "bench:serve": ["bench/serve.ts", "how soon serve is ready, and how much memory it uses"],
  "bench:start": ["bench/start.ts", "how long the command and programs take to start"],
  "bench:streams": ["bench/streams.ts", "the memory and speed of large bodies"],
  "bench:timing": ["bench/timing.ts", "whether the time of a response reveals a secret"]
}

if (import.meta.main) {
  const [name = ""] = process.argv.splice(2, 1)
  const found = Object.hasOwn(checks, name) ? checks[name] : undefined
  if (found === undefined) {
    for (const [name, [, shows]] of Object.entries(checks)) console.error(`${name.padEnd(15)} ${shows}`)
    console.error(name === "" ? "Name a check." : `There is no check named ${name}.`)
    process.exitCode = 2
  } else {
    endWithThis()
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
    await import(new URL(found[0], import.meta.url).href)
  }
}
