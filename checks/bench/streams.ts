/**
 * `npm run bench:streams`: the memory and the speed of a body of 1 GB, up and down, over `NodeTransport` and
 * `FetchTransport`. Each row is a process of its own, and the server, `node:http`, is another one. The memory is the
 * most that the process had, over what it had after a body of 64 MB.
 *
 * It fails if a row uses more than 100 MB three times. `-- WORD` measures the rows whose names contain it.
 */
import { fork, type Serializable } from "node:child_process"
import { mkdtempSync, truncateSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { Readable } from "node:stream"
import { parseArgs } from "node:util"
import { createGzip } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as NodeFile from "@cloud-management/node/NodeFile"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import { listen } from "../fixtures/Listener.ts"
import * as Figures from "./figures.ts"

const size = 2 ** 30
const chunk = new Uint8Array(65_536)
const chunks = size / chunk.length
/** What a row may use, in MB. */
const most = 100

/** Counts what it receives, or sends as much as the query says. */
const serve = async (say: (message: Serializable) => void) => {
  process.on("disconnect", () => process.exit())
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
    if (request.method === "POST") {
      let received = 0
      for await (const part of request) received += part.length
      response.end(String(received))
      return
    }
    const parts = Readable.from(Array.from({ length: Number(searchParams.get("chunks")) }, () => chunk))
    if (pathname === "/") return pipeline(parts, response)
    response.setHeader("content-encoding", "gzip")
    await pipeline(parts, createGzip({ level: 1 }), response)
  })
  say(`http://127.0.0.1:${await listen(server)}`)
}

type Send = (url: string, chunks: number, file: string) => Effect.Effect<number, unknown, HttpClient.HttpClient>

const down =
  (path: string): Send =>
  (url, chunks) =>
    Effect.gen(function* () {
      const response = yield* HttpClient.get(`${url}${path}?chunks=${chunks}`)
      let received = 0
      yield* Stream.runForEachArray(response.stream, (arrived) =>
        Effect.sync(() => {
          for (const { length } of arrived) received += length
        })
      )
      return received
    })

const up =
  (body: (chunks: number, file: string) => Effect.Effect<HttpBody.HttpBody, unknown>): Send =>
  (url, chunks, file) =>
    Effect.gen(function* () {
      const response = yield* HttpClient.post(url, { body: yield* body(chunks, file) })
      return Number(yield* response.text)
    })

/** Each chunk is new, as those of a file are. */
const fresh = Stream.fromEffectRepeat(Effect.sync(() => new Uint8Array(chunk)))
const stream = up((chunks) =>
  Effect.succeed(HttpBody.stream(Stream.take(fresh, chunks), undefined, chunks * chunk.length))
)
const form = up((chunks, file) => {
  truncateSync(file, chunks * chunk.length)
  return Effect.map(NodeFile.open(file), (opened) => HttpBody.formDataRecord({ file: opened }))
})

const transports = { NodeTransport: NodeTransport.layer, FetchTransport: FetchTransport.layerStreams }
const ways: Readonly<Record<string, Send>> = {
  "a stream up": stream,
  "a file in a form up": form,
  "a stream down": down("/"),
  "a stream down, gzip": down("/gzip")
}
const rows = Object.entries(transports).flatMap(([transport, layer]) =>
  Object.entries(ways).map(([way, send]) => ({ name: `${transport}, ${way}`, layer, send }))
)

interface Measured {
  readonly megabytes: number
  readonly seconds: number
}

/** In the process of a row. */
const measure = async (name: string, url: string, say: (message: Serializable) => void) => {
  const row = rows.find((row) => row.name === name)
  if (row === undefined) throw new Error(`there is no row ${name}`)
  const file = join(mkdtempSync(join(tmpdir(), "streams-")), "a.bin")
  writeFileSync(file, "")
  const send = (chunks: number) => Effect.runPromise(Effect.provide(row.send(url, chunks, file), row.layer))
  await send(chunks / 16)
  const before = process.memoryUsage.rss()
  const start = performance.now()
  const sent = await send(chunks)
  const seconds = (performance.now() - start) / 1000
  if (sent < size) throw new Error(`${name}: ${sent} of ${size} bytes arrived`)
  say({ megabytes: (process.resourceUsage().maxRSS * 1024 - before) / 1e6, seconds } satisfies Measured)
  truncateSync(file)
  process.disconnect()
}

const measureAll = async () => {
  const {
    positionals: [wanted = ""]
  } = parseArgs({ allowPositionals: true })
  const module = new URL(import.meta.url)
  const server = fork(module, ["server"])
  const url = await new Promise<string>((resolve) => server.once("message", (url: string) => resolve(url)))
  console.log(Figures.head("1 GB", "MB of memory", "MB/s"))
  const measured = (name: string) =>
    new Promise<Measured>((resolve, reject) => {
      const row = fork(module, [name, url])
      row.once("message", resolve).once("exit", () => reject(new Error(`${name} ended`)))
    })
  for (const { name } of rows.filter(({ name }) => name.includes(wanted))) {
    let { megabytes, seconds } = await measured(name)
    // on a busy machine, garbage is collected late; a body that is kept is kept each time
    for (let again = 0; again < 2 && megabytes > most; again++) ({ megabytes, seconds } = await measured(name))
    console.log(Figures.row(name, megabytes.toFixed(0), (size / 1e6 / seconds).toFixed(0)))
    Figures.hold(name, megabytes, "at most", most, " MB")
  }
  server.disconnect()
}

if (process.send === undefined) await measureAll()
else {
  const [name = "", url = ""] = process.argv.slice(2)
  const say = (message: Serializable) => process.send?.(message)
  await (name === "server" ? serve(say) : measure(name, url, say))
}
