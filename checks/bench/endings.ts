/**
 * `npm run bench:endings`: what it costs that many calls end at once, because a program interrupts them or closes the
 * layer of their transport: ms of the thread that runs the event loop, from the end until all is quiet. Twice as many
 * calls must cost about twice as much.
 *
 * The calls wait for a server in another process, which never answers, at each stage that a call can be in: in the queue
 * of a pool, while its connection is made, and in flight.
 *
 * `-- --check` fails if 10,000 calls take more than a second, or twice as many more than three times as long.
 * `-- WORD` measures the rows whose names contain it.
 */
import { fork, type Serializable } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type * as HttpClient from "effect/http/HttpClient"
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/core/Credentials"
import * as Pacing from "@cloud-management/core/Pacing"
import * as Retry from "@cloud-management/core/Retry"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import type * as TransportOptions from "@cloud-management/node/TransportOptions"
import * as Faults from "@cloud-management/testing/Faults"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import { selfSigned } from "../fixtures/certificate.ts"

interface Servers {
  readonly http: number
  readonly https: number
  /** Takes connections, and says nothing on them, not even its part of a handshake. */
  readonly silent: number
  readonly path: string
  readonly ca: string
}
/** How many connections or requests arrived since the last message from the other side. */
interface Arrived {
  readonly arrived: number
}

const serve = async (say: (message: Serializable) => void) => {
  const folder = mkdtempSync(join(tmpdir(), "endings-"))
  let arrived = 0
  const count = () => say({ arrived: ++arrived } satisfies Arrived)
  process.on("message", () => (arrived = 0))
  process.on("disconnect", () => {
    rmSync(folder, { recursive: true, force: true })
    process.exit()
  })
  const pair = selfSigned()
  // also a proxy, which leads to itself
  const http = createServer(count).on("connect", (_, socket) => {
    socket.on("error", () => {}).write("HTTP/1.1 200 OK\r\n\r\n")
    http.emit("connection", socket)
  })
  const silent = Net.createServer((socket) => {
    socket.on("error", () => {}).resume()
    count()
  })
  const listen = async (server: Net.Server, path?: string) => {
    server.listen({ backlog: 20_000, ...(path === undefined ? { port: 0, host: "127.0.0.1" } : { path }) })
    await once(server, "listening")
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  }
  const path = join(folder, "a.sock")
  await listen(createServer(count), path)
  say({
    http: await listen(http),
    https: await listen(Https.createServer(pair, count)),
    silent: await listen(silent),
    path,
    ca: pair.cert
  } satisfies Servers)
}

const measureAll = async () => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { check: { type: "boolean" } } })
  const server = fork(new URL(import.meta.url))
  const { ca, http, https, path, silent } = await new Promise<Servers>((resolve) => server.once("message", resolve))
  let [arrived, notify] = [0, () => {}]
  server.on("message", (message: Arrived) => {
    arrived = message.arrived
    notify()
  })
  const arrivals = (count: number) =>
    new Promise<void>((resolve) => {
      notify = () => arrived >= count && resolve()
      notify()
    })
  const url = (port: number, scheme = "http") => `${scheme}://127.0.0.1:${port}`

  type Transport = Layer.Layer<HttpClient.HttpClient, unknown>
  interface Row {
    readonly transport: Transport
    readonly baseUrl: string
    readonly pacing?: Pacing.Pacing
    /** How many connections or requests arrive for so many calls. */
    readonly arrive: (calls: number) => number
  }
  const [all, one, none] = [(calls: number) => calls, () => 1, () => 0]
  const node = (baseUrl: string, options: TransportOptions.Options, arrive: Row["arrive"]): Row => ({
    transport: NodeTransport.layerOptions(options),
    baseUrl,
    arrive
  })
  const tls = { ca }
  const queued = { connections: 1 }
  const memory = InMemoryTransport.layer(Fixtures.seed).pipe(
    Faults.inject(
      (function* () {
        for (;;) yield Faults.Fault.Hang()
      })()
    )
  )
  const rows: Readonly<Record<string, Row>> = {
    "HTTP, queued": node(url(http), queued, one),
    "HTTP, in flight": node(url(http), {}, all),
    "TLS, queued": node(url(https, "https"), { ...queued, tls }, one),
    "TLS, connecting": node(url(silent, "https"), { tls }, all),
    "TLS, in flight": node(url(https, "https"), { tls }, all),
    "a proxy, in flight": node(url(http), { proxy: url(http) }, all),
    "a tunnel, queued": node(url(http), { ...queued, proxy: { url: url(http), tunnel: true } }, one),
    "a tunnel, connecting": node(url(http), { proxy: { url: url(silent), tunnel: true } }, all),
    "a tunnel, in flight": node(url(http), { proxy: { url: url(http), tunnel: true } }, all),
    "a Unix socket, queued": node(url(http), { ...queued, socketPath: path }, one),
    "a Unix socket, in flight": node(url(http), { socketPath: path }, all),
    pacing: { ...node(url(http), {}, one), pacing: Pacing.fixed({ limit: 1, window: "1 hour" }) },
    "fetch, in flight": { transport: FetchTransport.layer, baseUrl: url(http), arrive: all },
    "in memory": { transport: memory, baseUrl: "http://localhost", arrive: none }
  }

  /** The ms of CPU that the end of so many calls takes. */
  const measure = async ({ arrive, baseUrl, pacing, transport }: Row, calls: number, isClose: boolean) => {
    const scope = Scope.makeUnsafe()
    const client = CloudManagement.layer({
      baseUrl,
      credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret),
      retry: Retry.none,
      deadline: { attempt: "10 days", total: "10 days" },
      ...(pacing && { pacing })
    })
    const context = await Effect.runPromise(Layer.buildWithScope(Layer.provide(client, transport), scope))
    const cloud = Context.get(context, CloudManagement.CloudManagement)
    server.send("again")
    arrived = 0
    const fibers = Array.from({ length: calls }, () => Effect.runFork(cloud.organizations.list()))
    await arrivals(arrive(calls))
    const quiet = () => new Promise((resolve) => setTimeout(resolve, 100))
    await quiet()
    const start = process.threadCpuUsage()
    if (isClose) await Effect.runPromise(Scope.close(scope, Exit.void))
    else for (const fiber of fibers) fiber.interruptUnsafe()
    await Effect.runPromise(Effect.forEach(fibers, Fiber.await, { discard: true }))
    await quiet()
    const { system, user } = process.threadCpuUsage(start)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    return (system + user) / 1000
  }

  const counts = [2500, 5000, 10_000]
  const complaints: Array<string> = []
  console.log(`| ms of CPU | how | ${counts.join(" | ")} |\n| --- | --- | ${counts.map(() => "--:").join(" | ")} |`)
  for (const [name, row] of Object.entries(rows).filter(([name]) => name.includes(positionals[0] ?? ""))) {
    // only undici holds connections, and a call in the queue of a pacing is not the transport's
    for (const how of /pacing|fetch|memory/.test(name) ? ["interrupted"] : ["interrupted", "closed"]) {
      const times: Array<number> = []
      for (const count of counts) times.push(await measure(row, count, how === "closed"))
      console.log(`| ${name} | ${how} | ${times.map((time) => time.toFixed(0)).join(" | ")} |`)
      const [, half = NaN, whole = NaN] = times
      if (whole > 1000) complaints.push(`${name}, ${how}: ${counts[2]} calls take more than a second`)
      // what is short is all noise
      if (whole > 200 && whole > 3 * half) complaints.push(`${name}, ${how}: twice as many cost × ${whole / half}`)
    }
  }
  server.disconnect()
  if (values.check === true) {
    for (const complaint of complaints) console.error(complaint)
    process.exitCode = complaints.length === 0 ? 0 : 1
  }
}

if (process.send === undefined) await measureAll()
else await serve((message) => process.send?.(message))
