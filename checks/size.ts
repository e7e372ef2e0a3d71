/**
 * Bundles the program that `docs/library/browser.md` shows and those in `checks/bench/pages`, and fails when one passes its
 * limit or has in it what it does not use. `-- --write` puts the sizes into docs/performance.md, `--contents` names the parts.
 */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { relative } from "node:path"
import { gzipSync } from "node:zlib"
import * as esbuild from "esbuild"
import { rolldown } from "rolldown"
import * as Figures from "./bench/figures.ts"
import { snippets } from "./documents/markdown.ts"

/** In kB (1000 bytes), with either bundler. */
type Limits = readonly [esbuild: number, rolldown: number]

interface Page {
  readonly name: string
  readonly file: string
  readonly limit?: Limits
  /** Only what it has more than this one is weighed. */
  readonly than?: string
  /** Must not be in it. */
  readonly without?: RegExp
  /** Constants for esbuild, as docs/performance.md shows them. */
  readonly define?: Readonly<Record<string, string>>
}

const unused =
  /(client|core)\/src\/(Pacing|Waiting|Log|Metrics|Contract)\.ts$|effect\/dist\/(Config\w*|Logger|http-api\/\w+)\.js$/

/** esbuild takes `globalThis.File` for a side effect, and keeps Effect's schemas of these even if nothing uses them. */
const globals = Object.fromEntries(
  ["RegExp", "URL", "File", "URLSearchParams", "Uint8Array"].map((name) => [`globalThis.${name}`, name])
)

const folder = "node_modules/.cache/size"
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
// the examples' folder sees every package, as a user's project would
symlinkSync("../../../examples/node_modules", `${folder}/node_modules`)
const write = (name: string, code: string) => {
  writeFileSync(`${folder}/${name}`, code)
  return `${folder}/${name}`
}

const shown = snippets(readFileSync("docs/library/browser.md", "utf8")).find((code) =>
  code.includes("FetchTransport.layer")
)
if (shown === undefined) throw new Error("docs/library/browser.md shows no program over FetchTransport.layer")
const fromIndexes = shown.replace(/^import \* as (\w+) from "(effect|@[\w-]+\/\w+)\/\w+"$/gm, 'import { $1 } from "$2"')

const pages: ReadonlyArray<Page> = [
  { name: "[a page on `HttpClient`](../checks/bench/pages/tasks.ts)", file: "checks/bench/pages/tasks.ts" },
  { name: "the same and the client", file: "checks/bench/pages/tasksAndClient.ts", without: unused },
  {
    name: "**what the client adds to that page**",
    file: "checks/bench/pages/tasksAndClient.ts",
    than: "checks/bench/pages/tasks.ts",
    limit: [12.4, 11.9]
  },
  {
    name: "**the client over `FetchTransport`, as browser.md shows it**",
    file: write("browser.md.ts", shown),
    limit: [48.9, 45.0],
    without: unused
  },
  { name: "the same with imports from the indexes", file: write("fromIndexes.ts", fromIndexes) },
  {
    name: "[the same transport, and one operation of your own](../checks/bench/pages/get.ts), a GET",
    file: "checks/bench/pages/get.ts",
    limit: [45.5, 42.7],
    without: new RegExp(`${unused.source}|client/src/(Envelope|internal/jsonForm)\\.ts$|core/src/internal/uuid\\.ts$`)
  },
  {
    name: "the client over `FetchTransport`, and a call of each operation",
    file: "checks/bench/pages/client.ts",
    limit: [48.9, 45.0],
    without: unused
  },
  {
    name: "the same with [the setting below](#smaller-with-esbuild)",
    file: "checks/bench/pages/client.ts",
    limit: [47.2, 45.0],
    without: unused,
    define: globals
  },
  {
    name: "a call of each operation, on promises",
    file: "checks/bench/pages/promise.ts",
    without: new RegExp(`${unused.source}|packages/node/|undici`)
  },
  {
    name: "what the promises add",
    file: "checks/bench/pages/promise.ts",
    than: "checks/bench/pages/client.ts",
    limit: [5, 4.9]
  },
  { name: "the client and its metrics", file: "checks/bench/pages/metrics.ts", limit: [51.0, 47.0] }
]

interface Bundle {
  readonly gzip: number
  /** Bytes as the bundler counts them: gzip has no shares. */
  readonly files: ReadonlyArray<readonly [file: string, bytes: number]>
}
const gzip = (code: Uint8Array | string) => gzipSync(code, { level: 9 }).length

const withEsbuild = async (file: string, define: Readonly<Record<string, string>>): Promise<Bundle> => {
  const { metafile, outputFiles } = await esbuild.build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    define: { ...define },
    metafile: true,
    write: false,
    logLevel: "error"
  })
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  return {
    gzip: gzip(outputFiles[0]?.contents ?? ""),
    files: inputs.map(([file, { bytesInOutput }]) => [file, bytesInOutput])
  }
}

const withRolldown = async (file: string): Promise<Bundle> => {
  const bundler = await rolldown({ input: file, platform: "browser" })
  // one file, as esbuild makes it
  const { output } = await bundler.generate({ format: "esm", minify: true, codeSplitting: false })
  await bundler.close()
  const modules = Object.entries(output[0].modules)
  return {
    gzip: gzip(output[0].code),
    files: modules.map(([file, { renderedLength }]) => [relative("", file), renderedLength])
  }
}

const kB = (bytes: number) => (bytes / 1000).toFixed(1)
const rows: Array<ReadonlyArray<string>> = []
const complaints: Array<string> = []

const bundle = (file: string, define = {}) => Promise.all([withEsbuild(file, define), withRolldown(file)])
for (const { define, file, limit, name, than, without } of pages) {
  const bundles = await bundle(file, define)
  const base = than === undefined ? [] : await bundle(than)
  const sizes = bundles.map(({ gzip }, i) => gzip - (base[i]?.gzip ?? 0))
  rows.push([name, ...sizes.map(kB), limit?.map((most) => most.toFixed(1)).join(", ") ?? ""])
  const plain = name.replaceAll(/\*\*|\[|\]\(.*?\)/g, "")
  for (const [i, most] of limit?.entries() ?? []) {
    const what = `a page: ${plain}, ${["esbuild", "rolldown"][i]}`
    Figures.hold(what, (sizes[i] ?? NaN) / 1000, "at most", most, " kB")
  }
  const held = bundles.map(({ files }) => files.filter(([, bytes]) => bytes > 0))
  const idle = new Set(held.flat().flatMap(([part]) => (without?.test(part) ? [part] : [])))
  for (const part of idle) complaints.push(`${file}: ${part} is in it, and is not used`)
  if (!process.argv.includes("--contents")) continue
  for (const [part, bytes] of held[0]?.toSorted(([, a], [, b]) => b - a) ?? []) {
    console.log(`    ${kB(bytes).padStart(6)} kB  ${part.replace(/^.*node_modules\//, "")}`)
  }
}
Figures.publish("docs/performance.md", [["program, kB of gzip", "esbuild", "rolldown", "at most"], ...rows])
for (const complaint of complaints) console.error(complaint)
if (complaints.length > 0) process.exitCode = 1
