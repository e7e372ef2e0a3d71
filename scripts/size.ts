/**
 * What the client weighs in a page: bundles small programs as a browser project would (esbuild, minified, gzip) and
 * fails when the client passes its limit. `npm run size -- --contents` also names what is inside.
 */
import { gzipSync } from "node:zlib"
import { build, type Metafile } from "esbuild"

/** Largest client, in kB (1000 bytes) after gzip. Lower it when something was cut, so that it stays out. */
const limit = 50

const runFetch = (read: string) => `
  import * as Effect from "effect/Effect"
  import * as FetchHttpClient from "effect/http/FetchHttpClient"
  import * as HttpClient from "effect/http/HttpClient"
  import * as HttpClientResponse from "effect/http/HttpClientResponse"
  import * as Schema from "effect/Schema"
  HttpClient.get("https://api.example.com/v1/organizations").pipe(
    Effect.flatMap(${read}),
    Effect.provide(FetchHttpClient.layer),
    Effect.runPromise
  ).then(console.log)`

const runClient = `
  import * as Effect from "effect/Effect"
  import * as Layer from "effect/Layer"
  import * as FetchTransport from "@cloud-management/browser/FetchTransport"
  import * as CloudManagement from "@cloud-management/core/CloudManagement"
  import * as Credentials from "@cloud-management/core/Credentials"
  Effect.gen(function* () {
    const cloud = yield* CloudManagement.CloudManagement
    const [organization] = yield* cloud.organizations.list()
    yield* cloud.apiKeys.delete(params)
    return [organization, yield* cloud.reversePrivateEndpoints.get(params)]
  }).pipe(
    Effect.provide(CloudManagement.layer({
      baseUrl: "https://api.example.com",
      credentials: Credentials.make(id, secret)
    }).pipe(Layer.provide(FetchTransport.layer))),
    Effect.runPromise
  ).then(console.log)`

const programs = [
  { name: "HttpClient over fetch", code: runFetch("(response) => response.json") },
  {
    name: "the same with a schema",
    code: runFetch("HttpClientResponse.schemaBodyJson(Schema.Struct({ name: Schema.String }))")
  },
  { name: "the client, all operations", code: runClient, limit },
  { name: "the client and Contract", code: `${runClient}\nexport * from "@cloud-management/core/Contract"` }
]

const bundle = async (contents: string) => {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: "bench" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    metafile: true,
    write: false
  })
  return {
    bytes: outputFiles[0]?.contents ?? new Uint8Array(),
    inputs: Object.values(metafile.outputs)[0]?.inputs ?? {}
  }
}

/** The files of a bundle, largest first. Bytes are minified, before gzip: gzip has no shares. */
const contents = (inputs: Metafile["outputs"][string]["inputs"]) =>
  Object.entries(inputs)
    .map(([file, { bytesInOutput }]) => ({ file: file.replace(/^.*node_modules\//, ""), bytes: bytesInOutput }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)

const kB = (bytes: number) => (bytes / 1000).toFixed(1).padStart(7)
console.log(`${"".padEnd(28)} minified   gzip  (kB)`)
for (const program of programs) {
  const { bytes, inputs } = await bundle(program.code)
  const size = gzipSync(bytes, { level: 9 }).length
  const verdict = program.limit === undefined ? "" : `  at most ${program.limit}`
  console.log(`${program.name.padEnd(28)} ${kB(bytes.length)} ${kB(size)}${verdict}`)
  if (program.limit !== undefined && size > program.limit * 1000) process.exitCode = 1
  if (process.argv.includes("--contents")) {
    for (const { bytes, file } of contents(inputs)) console.log(`${" ".repeat(28)} ${kB(bytes)}  ${file}`)
  }
}
