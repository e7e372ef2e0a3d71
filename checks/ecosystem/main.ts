/**
 * Projects outside the workspace perform the three operations against the service that the packed command serves.
 * `npm run check ecosystem webpack deno` runs the consumers whose names contain one of the words.
 */
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, delimiter, dirname, join } from "node:path"
import { Effect } from "effect"
import { Child, Program } from "../fixtures/index.ts"
import * as Rows from "../fixtures/Rows.ts"
import * as Stranger from "../release/stranger.ts"
import { snippets } from "../documents/markdown.ts"
import { consumers, manifest, serve, type Consumer } from "./consumers.ts"

const hasChromium = Program.isThere("chromium")
const chosen = Rows.chosen(consumers).filter(({ page }) => hasChromium || page !== true)

await import("../release/packages.ts")
const house = mkdtempSync(join(tmpdir(), "ecosystem-"))
mkdirSync(join(house, "tarballs"))
for (const file of globSync("node_modules/.cache/tarballs/*.tgz")) {
  const [, name = ""] = /^cloud-management-([a-z]+)-/.exec(basename(file)) ?? []
  cpSync(file, join(house, "tarballs", `${name}.tgz`))
}

const tested = manifest("checks/ecosystem/programs/package.json").dependencies ?? {}

const write = (id: string, consumer: Consumer) => {
  const { compilerOptions, files, isCommonJs = false, needs, readme, recipe, scripts, tools } = consumer
  const { versions = {} } = consumer
  const project = join(house, id)
  cpSync("checks/ecosystem/programs", project, { recursive: true })
  if (readme !== undefined) {
    writeFileSync(join(project, "serve.ts"), snippets(readFileSync(readme, "utf8")).join("\n"))
  }
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
const seed = {
  organizations: [
    {
      id: uuid("000", 0),
      name: "Acme",
      apiKeys: chosen.flatMap((_, n) => [key("00c", n), key("00d", n)]),
      services: [
        { id: uuid("0a0", 0), reversePrivateEndpoints: [{ id: uuid("0e0", 0), type: "VPC_RESOURCE", status: "Ready" }] }
      ]
    }
  ]
}
/** Printed by the three operations: the second deletion of a key shows that the first one was done. */
const ofOperations = "Acme Ready ApiKeyNotFound"

const service = Effect.gen(function* () {
  const project = write("service", serve)
  writeFileSync(join(project, "seed.json"), JSON.stringify(seed))
  yield* Effect.promise(() => npm(project, ["install"]))
  // not through npm, which would not pass the signal on
  const bin = join(project, "node_modules/.bin")
  const [command = "", ...args] = `${bin}/${serve.scripts.start} --seed ${project}/seed.json`.split(" ")
  const PATH = `${bin}${delimiter}${environment["PATH"]}`
  const { url } = yield* Effect.flatMap(Child.program(command, args, { PATH }), Child.listening)
  return url
})

const width = Math.max(...consumers.map(({ name }) => name.length))
const total = { passed: 0, failed: 0 }
const report = (name: string, start: number, failure?: string) => {
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${name.padEnd(width)}  ${failure === undefined ? "ok" : "FAILED"} ${seconds} s`)
  if (failure !== undefined) console.log(failure.trimEnd().replace(/^/gm, "  "))
  total[failure === undefined ? "passed" : "failed"]++
}

const check = async (n: number, consumer: Consumer, baseUrl: string) => {
  const { prints = ofOperations, refused } = consumer
  const project = write(String(n), consumer)
  const [caller, victim] = [key("00c", n), key("00d", n)]
  const settings = {
    CLOUD_MANAGEMENT_BASE_URL: baseUrl,
    CLOUD_MANAGEMENT_KEY_ID: caller.id,
    CLOUD_MANAGEMENT_KEY_SECRET: caller.secret,
    SERVICE: uuid("0a0", 0),
    ENDPOINT: uuid("0e0", 0),
    VICTIM: victim.id,
    CHROMIUM: Program.find("chromium") ?? ""
  }
  const installation = npm(project, ["install"])
  if (refused) {
    const refusal = await installation.catch(({ message }: Error) => message)
    if (!refusal.includes("ERESOLVE")) throw new Error(`npm did not refuse:\n${refusal}`)
    return
  }
  await installation
  await npm(project, ["run", "types", "--if-present"])
  await npm(project, ["run", "build", "--if-present"], settings)
  const output = await npm(project, ["run", "--silent", "start"], settings)
  if (output.trim() !== prints) throw new Error(`expected "${prints}", but it printed\n${output}`)
  await rm(project, { recursive: true })
}

const program = Effect.gen(function* () {
  const began = performance.now()
  const url = yield* service
  report(serve.name, began)
  const each = ([n, consumer]: [number, Consumer]) =>
    Effect.promise(async () => {
      const start = performance.now()
      await check(n, consumer, url).then(
        () => report(consumer.name, start),
        ({ message }: Error) => report(consumer.name, start, message)
      )
    })
  yield* Effect.forEach(chosen.entries(), each, { concurrency: 2 })
})
await Effect.runPromise(Effect.scoped(program))
console.log(`${total.passed} passed, ${total.failed} failed`)
if (total.failed > 0 || total.passed < 2) process.exitCode = 1
