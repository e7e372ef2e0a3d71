/**
 * `node checks/main.ts NAME …`: the one way to start a check of the whole; the npm scripts are names for it. Without a
 * name it lists them all. What follows the name is for the check, whose own file says what that may be.
 */

/** The file of each check, and what it shows. */
export const checks: Readonly<Record<string, readonly [file: string, shows: string]>> = {
  test: ["test.ts", "all that has to hold: npm test"],
  busy: ["busy.ts", "npm test needs no idle machine"],
  documents: ["documents/main.ts", "each test that a document names has run"],
  snippets: ["documents/snippets.ts", "the code in documents and in doc comments compiles"],
  boundaries: ["boundaries.ts", "the linter refuses what a package must not import or do"],
  stores: ["stores.ts", "every store does the same, on every engine"],
  simulate: ["simulation/main.ts", "client and service keep their rules under faults, seed by seed"],
  faults: ["faults/main.ts", "every fault ends a call as it has to, over every transport and under every policy"],
  mutations: ["mutations/main.ts", "each rule, when broken, fails a test"],
  fuzz: ["fuzz/main.ts", "the service answers requests of every kind as a model does"],
  races: ["races/main.ts", "keys that delete one another fit some order, and one is left"],
  durability: ["durability/main.ts", "what was acknowledged survives SIGKILL"],
  cluster: ["cluster/main.ts", "three nodes behind nginx lose nothing while nodes and the database end"],
  failover: ["failover/main.ts", "three nodes lose nothing while PostgreSQL fails over under Patroni"],
  operations: ["operations/main.ts", "docs/operations.md does what it says, from top to bottom"],
  slow: ["slow/main.ts", "slow sockets, guesses at secrets and a foreign lock do not hold up others"],
  soak: ["soak/main.ts", "many calls leave no socket, fiber, timer or memory behind"],
  runtimes: ["runtimes/main.ts", "the conformance cases hold in every runtime"],
  site: ["../docs/site/test/main.ts", "the site has no broken link, and works in a browser for everybody"],
  oldest: ["oldest.ts", "the command and its server run on the oldest Node.js"],
  packages: ["release/packages.ts", "the packed packages install, resolve and load outside of the workspace"],
  ecosystem: ["ecosystem/main.ts", "projects of users work with the packed packages"],
  release: ["release/release.ts", "the packed packages can be published, and publishes them"],
  version: ["release/version.ts", "writes the new version into the sources: npm run bump"],
  size: ["size.ts", "what the client weighs in a page"],
  compare: ["bench/compare.ts", "how calls of this client and of other libraries end under the same faults"],
  bench: ["bench/calls.ts", "what a call costs"],
  "bench:keys": ["bench/keys.ts", "what a read costs with 1,000,000 keys"],
  "bench:limits": ["bench/limits.ts", "what counting a request costs"],
  "bench:quotes": ["bench/quotes.ts", "what quoting a text in an error costs"],
  "bench:requests": ["bench/requests.ts", "how many requests a core answers"],
  "bench:scale": ["bench/scale.ts", "what a request costs with one, two and three nodes"],
  "bench:serve": ["bench/serve.ts", "how soon serve is ready, and the memory it takes"],
  "bench:start": ["bench/start.ts", "how long the command and programs take to start"],
  "bench:telemetry": ["bench/telemetry.ts", "what reporting costs a call"],
  "bench:timing": ["bench/timing.ts", "whether the time of an answer tells of a secret"]
}

if (import.meta.main) {
  const [name = ""] = process.argv.splice(2, 1)
  const found = Object.hasOwn(checks, name) ? checks[name] : undefined
  if (found === undefined) {
    for (const [name, [, shows]] of Object.entries(checks)) console.error(`${name.padEnd(15)} ${shows}`)
    console.error(name === "" ? "Name a check." : `There is no check ${name}.`)
    process.exitCode = 2
  } else {
    await import(new URL(found[0], import.meta.url).href)
  }
}
