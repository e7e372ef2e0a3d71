/**
 * `npm run check ecosystem`: projects outside the workspace install the packed packages with npm, check their types, build,
 * and perform the three operations against the service that the command line serves, itself installed the same way.
 * It catches what works in the workspace only.
 * `npm run check ecosystem webpack deno` runs the consumers whose names contain one of the words.
 *
 * The tarballs are those that `checks/release/packages.ts` packs first.
 */
import { spawn } from "node:child_process"
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, delimiter, dirname, join } from "node:path"
import { createInterface } from "node:readline"
import * as Program from "../fixtures/Program.ts"
import * as Stranger from "../release/stranger.ts"
import { consumers, manifest, serve, type Consumer } from "./consumers.ts"

const chromium = Program.find("chromium")
const lack = Program.absence("chromium")

const words = process.argv.slice(2)
const chosen = consumers.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase()))
)

await import("../release/packages.ts")
const house = mkdtempSync(join(tmpdir(), "ecosystem-"))
mkdirSync(join(house, "tarballs"))
for (const file of globSync("node_modules/.cache/tarballs/*.tgz")) {
  const [, name = ""] = /^cloud-management-([a-z]+)-/.exec(basename(file)) ?? []
  cpSync(file, join(house, "tarballs", `${name}.tgz`))
}

const tested = manifest("checks/ecosystem/programs/package.json").dependencies ?? {}

/** A project, which its user could have written: where it is. */
const write = (id: string, consumer: Consumer) => {
  const { compilerOptions, files, isCommonJs = false, needs, recipe, scripts, tools } = consumer
  const { versions = {} } = consumer
  const project = join(house, id)
  cpSync("checks/ecosystem/programs", project, { recursive: true })
  if (recipe !== undefined) {
    cpSync("examples/orders.yaml", join(project, "orders.yaml"))
    const files = readFileSync(`docs/library/${recipe}.md`, "utf8").matchAll(/^```\w+ title="(.*?)"\n(.*?)^```$/gms)
    for (const [, name = "", code = ""] of files) {
      mkdirSync(dirname(join(project, name)), { recursive: true })
      writeFileSync(join(project, name), code)
    }
  }
  const versionsOf = (names: ReadonlyArray<string>) =>
    Object.fromEntries(
      names.map((name) => {
        const isOurs = existsSync(join(house, "tarballs", `${name}.tgz`))
        return isOurs
          ? [`@cloud-management/${name}`, `file:../tarballs/${name}.tgz`]
          : [name, versions[name] ?? tested[name]]
      })
    )
  const manifest = {
    private: true,
    type: isCommonJs ? "commonjs" : "module",
    scripts,
    dependencies: versionsOf(needs),
    // Node.js itself, not our package for it
    devDependencies: { ...versionsOf(tools), ...("node" in versions && { node: versions["node"] }) }
  }
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest, null, 2))
  const settings = { extends: "./tsconfig.strict.json", compilerOptions, files }
  if (files !== undefined) writeFileSync(join(project, "tsconfig.json"), JSON.stringify(settings, null, 2))
  return project
}

// what npm says of the script that runs this one is not to be believed by the npm of a consumer
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle|config_(local|loglevel))/.test(name))
)

const npm = (project: string, args: ReadonlyArray<string>, settings: Readonly<Record<string, string>> = {}) =>
  Stranger.run("npm", args, project, { ...environment, ...settings })

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
/** Printed by the three operations: the second deletion of a key shows that the first one was done. */
const ofOperations = "Acme Ready ApiKeyNotFound"

/** The service as its users install it: its URL, and how to end it. */
const start = async () => {
  const project = write("service", serve)
  writeFileSync(join(project, "seed.json"), JSON.stringify(seed))
  await npm(project, ["install"])
  // not through npm, which would not pass the signal on
  const [command = "", ...args] = serve.scripts.start.split(" ")
  const bin = join(project, "node_modules/.bin")
  const env = { ...environment, PATH: `${bin}${delimiter}${environment["PATH"]}` }
  const child = spawn(join(bin, command), args, { cwd: project, env })
  let complaint = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text))
  for await (const line of createInterface(child.stdout)) {
    const { url }: { readonly url: string } = JSON.parse(line)
    return { url, close: () => child.kill() }
  }
  throw new Error(`the service did not start\n${complaint}`)
}

const width = Math.max(...consumers.map(({ name }) => name.length))
const total = { passed: 0, failed: 0, skipped: 0 }
const report = (name: string, start: number, failure?: string) => {
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${name.padEnd(width)}  ${failure === undefined ? "ok" : "FAILED"} ${seconds} s`)
  if (failure !== undefined) console.log(failure.trimEnd().replace(/^/gm, "  "))
  total[failure === undefined ? "passed" : "failed"]++
}

/** Fails when anything is not as it should be. */
const check = async (n: number, { name, prints = ofOperations, ...consumer }: Consumer, baseUrl: string) => {
  const project = write(String(n), { name, ...consumer })
  const [caller, victim] = [key("00c", n), key("00d", n)]
  const settings = {
    CLOUD_MANAGEMENT_BASE_URL: baseUrl,
    CLOUD_MANAGEMENT_KEY_ID: caller.id,
    CLOUD_MANAGEMENT_KEY_SECRET: caller.secret,
    SERVICE: service,
    ENDPOINT: endpoint,
    VICTIM: victim.id,
    ...(chromium !== undefined && { CHROMIUM: chromium })
  }
  const installation = npm(project, ["install"])
  if (consumer.refused) {
    const refusal = await installation.catch(({ message }: Error) => message)
    if (!refusal.includes("ERESOLVE")) throw new Error(`npm did not refuse:\n${refusal}`)
    return
  }
  await installation
  await npm(project, ["run", "types", "--if-present"])
  await npm(project, ["run", "build", "--if-present"], settings)
  const output = await npm(project, ["run", "--silent", "start"], settings)
  if (output.trim() !== prints) throw new Error(`expected "${prints}", but it printed\n${output}`)
}

const began = performance.now()
const { close, url } = await start()
report(serve.name, began)
const queue = [...chosen.entries()]
const lane = async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [n, consumer] = next
    const start = performance.now()
    if (consumer.page && lack !== undefined) {
      if (process.env["CI"] === "true") report(consumer.name, start, lack)
      else {
        console.log(`${consumer.name.padEnd(width)}  not run: ${lack}`)
        total.skipped++
      }
      continue
    }
    await check(n, consumer, url).then(
      () => report(consumer.name, start),
      ({ message }: Error) => report(consumer.name, start, message)
    )
    await rm(join(house, String(n)), { recursive: true })
  }
}
await Promise.all([lane(), lane()])
close()
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`)
process.exitCode = total.failed === 0 && total.passed > 1 ? 0 : 1
