/**
 * `npm run test:ecosystem`: projects outside the workspace install the packed packages with npm, check their types, build,
 * and perform the three operations against the service that the command line serves, itself installed the same way.
 * `npm run test:ecosystem -- webpack deno` runs the consumers whose names or folders contain one of the words.
 *
 * The tarballs are those that `checks/release/packages.ts` left behind.
 */
import { spawn, spawnSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import * as Routes from "../fixtures/Routes.ts"
import * as Program from "../fixtures/Program.ts"

interface Manifest {
  readonly version: string
  readonly scripts: Record<string, string>
  readonly dependencies: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly peerDependencies: Record<string, string>
}
const manifest = (path: string): Manifest => JSON.parse(readFileSync(path, "utf8"))

const range = manifest("packages/core/package.json").peerDependencies["effect"] ?? ""
const lowest = /(?<=^>=)\S+/.exec(range)?.[0] ?? ""

interface Consumer {
  readonly name: string
  /** Where it is in `checks/ecosystem`. */
  readonly folder: string
  /** What it has from `examples`. */
  readonly examples?: ReadonlyArray<string>
  /** In place of those in its package.json. */
  readonly versions?: Record<string, string>
  /** Whether it needs Debian's Chromium. */
  readonly page?: boolean
  /** Whether npm has to refuse to install it. */
  readonly refused?: boolean
  /** What it prints, when it does something else than the three operations. */
  readonly prints?: string
  /** Its way to the service, when it does not go directly. */
  readonly route?: (typeof Routes.routes)[string]
}
const consumers: ReadonlyArray<Consumer> = [
  { name: "Node, ESM", folder: "node-esm" },
  { name: "Node, ESM, oldest", folder: "node-esm", versions: { node: "22.19.0" } },
  { name: "Node, require(esm)", folder: "node-require" },
  { name: "Node, require(esm), oldest", folder: "node-require", versions: { node: "22.19.0" } },
  { name: "Node, fetch, oldest", folder: "node-20" },
  ...Object.entries(Routes.routes).map(([name, route]) => ({
    name: `Node, through ${name}`,
    folder: "node-transport",
    route
  })),
  {
    name: "Node, a key rotated under load",
    folder: "rotation",
    prints: "rotated without a failed call, 2 reads"
  },
  { name: "TypeScript, bundler", folder: "typescript-bundler" },
  { name: "TypeScript, nodenext", folder: "typescript-nodenext" },
  { name: "TypeScript, nodenext, oldest", folder: "typescript-nodenext", versions: { typescript: "5.9.3" } },
  { name: "Vite", folder: "vite", page: true },
  { name: "webpack", folder: "webpack", page: true },
  { name: "esbuild", folder: "esbuild" },
  { name: "Bun", folder: "bun" },
  { name: "Deno", folder: "deno" },
  { name: "workerd", folder: "workerd" },
  { name: "recorded and replayed", folder: "recorded" },
  { name: "promises, Node", folder: "promise-node" },
  {
    name: "promises, Node, oldest",
    folder: "promise-node",
    versions: { node: "22.19.0", typescript: "5.9.3" }
  },
  { name: "promises, Bun", folder: "promise-bun" },
  ...["7.0.2", "6.0.3", "5.9.3"].map((typescript) => ({
    name: `promises, types, TypeScript ${typescript}`,
    folder: "promise-types",
    versions: { typescript },
    prints: "6 A,READY,VPC_RESOURCE,READY ready true 2n 1767225600"
  })),
  {
    name: "service, alone",
    folder: "service-alone",
    prints: "200; npm install @effect/sql-pg; npm install @effect/platform-node redis"
  },
  { name: "service, on Node", folder: "service-node", prints: "200 401 StoreUnavailable built" },
  {
    name: "tests, Vitest",
    folder: "handle-vitest",
    examples: ["faults.test.ts", "reply.test.ts", "waiting.test.ts"],
    prints: [
      "deletes again after a lost response: passed",
      "reads a backup, and misses another: passed",
      "waits until the endpoint is ready: passed"
    ].join("; ")
  },
  { name: "effect, lowest", folder: "node-esm", versions: { effect: lowest } },
  { name: "effect, highest", folder: "node-esm", versions: { effect: range } },
  { name: "effect, too low: refused", folder: "node-esm", versions: { effect: `<${lowest}` }, refused: true }
]

const chromium = Program.find("chromium")
const lack = Program.absence("chromium")

const words = process.argv.slice(2)
const chosenBy = (word: string) => {
  const found = consumers.filter(({ folder, name }) => `${name}\n${folder}`.toLowerCase().includes(word.toLowerCase()))
  if (found.length === 0) throw new Error(`no consumer ${word}; there are ${names(consumers)}`)
  const lacking = found.filter(({ page }) => page && lack !== undefined)
  if (lacking.length > 0) throw new Error(`${names(lacking)}: ${lack}`)
  return found
}
const names = (some: ReadonlyArray<Consumer>) => some.map(({ name }) => `"${name}"`).join(", ")
const chosen = words.length === 0 ? consumers : [...new Set(words.flatMap(chosenBy))]

const house = mkdtempSync(join(tmpdir(), "ecosystem-"))
mkdirSync(join(house, "tarballs"))
cpSync("checks/ecosystem/common", join(house, "common"), { recursive: true })
for (const file of globSync("node_modules/.cache/tarballs/*.tgz")) {
  const [, name = ""] = /^cloud-management-([a-z]+)-/.exec(basename(file)) ?? []
  cpSync(file, join(house, "tarballs", `${name}.tgz`))
}

/** A copy of a consumer, which its user could have written: where it is. */
const copy = (id: string, { examples = [], folder, versions = {} }: Omit<Consumer, "name">) => {
  const project = join(house, id)
  cpSync(join(house, "common"), project, { recursive: true })
  cpSync(join("checks/ecosystem", folder), project, { recursive: true })
  for (const example of examples) cpSync(join("examples", example), join(project, example))
  const file = join(project, "package.json")
  const { dependencies, devDependencies = {}, ...rest } = manifest(file)
  for (const [name, version] of Object.entries(versions)) {
    if (name in dependencies) dependencies[name] = version
    else devDependencies[name] = version
  }
  writeFileSync(file, JSON.stringify({ ...rest, dependencies, devDependencies }, null, 2))
  return project
}

// what npm says of the script that runs this one is not to be believed by the npm of a consumer
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle|config_(local|loglevel))/.test(name))
)

/** What npm writes to its standard output in a project. It fails with all that it wrote. */
const npm = (project: string, args: ReadonlyArray<string>, settings: Record<string, string> = {}) =>
  new Promise<string>((done, fail) => {
    const child = spawn("npm", args, {
      cwd: project,
      env: { ...environment, ...settings },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 180_000
    })
    let [output, all] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text
      all += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => (all += text))
    child.on("error", fail)
    child.on("close", (code) => (code === 0 ? done(output) : fail(new Error(`npm ${args.join(" ")}\n${all}`))))
  })

const uuid = (kind: string, n: number) => `a0000000-0000-4000-8${kind}-${String(n).padStart(12, "0")}`
const key = (kind: string, n: number) => ({ id: uuid(kind, n), secret: `secret-of-${kind}-${n}` })
const [service, endpoint] = [uuid("0a0", 0), uuid("0e0", 0)]
const seed = {
  organizations: [
    {
      id: uuid("000", 0),
      name: "Acme",
      apiKeys: chosen.flatMap((_, n) => [key("00c", n), key("00d", n)]),
      services: [{ id: service, reversePrivateEndpoints: [{ id: endpoint, type: "VPC_RESOURCE", status: "Ready" }] }]
    }
  ]
}
const ofOperations = "Acme Ready ApiKeyNotFound"

/** The service as its users install it: its URL, and how to end it. */
const serve = async () => {
  const project = copy("service", { folder: "service" })
  writeFileSync(join(project, "seed.json"), JSON.stringify(seed))
  await npm(project, ["install"])
  // not through npm, which would not pass the signal on
  const [command = "", ...args] = (manifest(join(project, "package.json")).scripts["start"] ?? "").split(" ")
  const child = spawn(join(project, "node_modules/.bin", command), args, { cwd: project, env: environment })
  let complaint = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text))
  for await (const line of createInterface(child.stdout)) {
    const { url }: { readonly url: string } = JSON.parse(line)
    return { url, close: () => child.kill() }
  }
  throw new Error(`the service did not start\n${complaint}`)
}

/** How the service answers a key: 200, or 401 when there is no such key. */
const statusOf = async (baseUrl: string, { id, secret }: { readonly id: string; readonly secret: string }) => {
  const headers = { authorization: `Basic ${btoa(`${id}:${secret}`)}` }
  return (await fetch(`${baseUrl}/v1/organizations`, { headers })).status
}

const browser = chromium ? spawnSync(chromium, ["--version"], { encoding: "utf8" }).stdout.split(" built")[0] : ""

/** What was installed beside the packages. */
const installed = (project: string, page: boolean) => {
  const { dependencies, devDependencies = {}, scripts } = manifest(join(project, "package.json"))
  const names = Object.keys({ ...devDependencies, ...dependencies }).filter((name) => !name.startsWith("@"))
  const versions = names.map(
    (name) => `${name} ${manifest(join(project, "node_modules", name, "package.json")).version}`
  )
  const isWorkspaceNode = scripts["start"]?.startsWith("node ") && !("node" in devDependencies)
  const others = [...(isWorkspaceNode ? [`node ${process.versions.node}`] : []), ...(page ? [browser] : [])]
  return [...versions, ...others].join(", ")
}

const width = Math.max(...consumers.map(({ name }) => name.length))
const total = { passed: 0, failed: 0, skipped: 0 }
const report = (name: string, start: number, what: string, failure?: string) => {
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${name.padEnd(width)}  ${what} … ${failure === undefined ? "ok" : "FAILED"} ${seconds} s`)
  if (failure !== undefined) console.log(failure.trimEnd().replace(/^/gm, "  "))
  total[failure === undefined ? "passed" : "failed"]++
}

/** What a consumer got: its versions. It fails when anything is not as it should be. */
const check = async (n: number, consumer: Consumer, baseUrl: string) => {
  const { page = false, prints, route } = consumer
  const project = copy(String(n), consumer)
  const [caller, victim] = [key("00c", n), key("00d", n)]
  const expect = async (status: number) => {
    const actual = await statusOf(baseUrl, victim)
    if (actual !== status) throw new Error(`the service responds to the victim with ${actual}, not ${status}`)
  }
  await npm(project, ["install"])
  await npm(project, ["run", "types", "--if-present"])
  await npm(project, ["run", "build", "--if-present"])
  await expect(200)
  const start = (url: string, settings: Readonly<Record<string, string>> = {}) =>
    npm(project, ["run", "--silent", "start"], {
      CLOUD_MANAGEMENT_BASE_URL: url,
      CLOUD_MANAGEMENT_KEY_ID: caller.id,
      CLOUD_MANAGEMENT_KEY_SECRET: caller.secret,
      SERVICE: service,
      ENDPOINT: endpoint,
      VICTIM: victim.id,
      VICTIM_SECRET: victim.secret,
      ...(chromium !== undefined && { CHROMIUM: chromium }),
      ...settings
    })
  const startThrough = (route: NonNullable<Consumer["route"]>) =>
    Effect.gen(function* () {
      const { environment, options, passed, url } = yield* route(baseUrl)
      const settings = { TRANSPORT: JSON.stringify(options), ...environment }
      const output = yield* Effect.promise(() => start(url, settings))
      return passed() > 0 ? output : "nothing came this way"
    })
  const output = await (route === undefined ? start(baseUrl) : Effect.runPromise(Effect.scoped(startThrough(route))))
  const expected = prints ?? ofOperations
  if (output.trim() !== expected) throw new Error(`expected "${expected}", but it printed\n${output}`)
  await expect(prints === undefined ? 401 : 200)
  return installed(project, page)
}

/** What npm says when it refuses. */
const checkRefusal = async (n: number, consumer: Consumer) => {
  const refusal = await npm(copy(String(n), consumer), ["install"]).catch(({ message }: Error) => message)
  const found = /Found: (\S+)@(\S+)/.exec(refusal)
  if (!refusal.includes("ERESOLVE") || found === null) throw new Error(`npm did not refuse:\n${refusal}`)
  return `${found[1]} ${found[2]}`
}

const start = performance.now()
const { close, url } = await serve()
report("cloud-management serve", start, installed(join(house, "service"), false))
const queue = [...chosen.entries()]
const lane = async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [n, consumer] = next
    const start = performance.now()
    if (consumer.page && lack !== undefined) {
      if (process.env["CI"] === "true") report(consumer.name, start, consumer.folder, lack)
      else {
        console.log(`${consumer.name.padEnd(width)}  not run: ${lack}`)
        total.skipped++
      }
      continue
    }
    const result = consumer.refused ? checkRefusal(n, consumer) : check(n, consumer, url)
    await result.then(
      (versions) => report(consumer.name, start, versions),
      ({ message }: Error) => report(consumer.name, start, consumer.folder, message)
    )
    await rm(join(house, String(n)), { recursive: true })
  }
}
await Promise.all([lane(), lane()])
close()
rmSync(house, { recursive: true })
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`)
process.exitCode = total.failed === 0 && total.passed > 1 ? 0 : 1
