/**
 * `npm run check bench:endings`: what it costs that many calls end at once, because a program interrupts them or closes the
 * layer of their transport: ms of the thread that runs the event loop, from the end until all is quiet. Twice as many
 * calls must cost about twice as much.
 *
 * The calls wait for a server in another process, which never answers, at each stage that a call can be in: in the queue
 * of a pool, while its connection is made, and in flight.
 *
 * It fails if 10,000 calls take more than a second beyond what their sockets, or their `fetch`, take alone, or if four
 * times as many take six times as long. `-- --growth` judges only the latter, on any machine.
 * `-- WORD` measures the rows whose names contain it.
 */
import { fork, type Serializable } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { createServer } from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import * as Tls from "node:tls"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
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
import * as Credentials from "@cloud-management/client/Credentials"
import * as Pacing from "@cloud-management/client/Pacing"
import * as Retry from "@cloud-management/client/Retry"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import type * as TransportOptions from "@cloud-management/node/TransportOptions"
import * as Faults from "@cloud-management/testing/Faults"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import { selfSigned } from "../fixtures/certificate.ts"
import { listen } from "../fixtures/Listener.ts"
import * as Figures from "./figures.ts"

interface Servers {
  readonly http: number
  readonly https: number
  /** Takes connections, and says nothing on them, not even its part of a handshake. */
  readonly silent: number
  readonly path: string
  readonly ca: string
}
const serve = async (say: (message: Serializable) => void) => {
  const folder = mkdtempSync(join(tmpdir(), "endings-"))
  let arrived = 0
  const count = () => say(++arrived)
  process.on("disconnect", () => process.exit())
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
  const at = { backlog: 20_000, port: 0, host: "127.0.0.1" }
  const path = join(folder, "a.sock")
  await listen(createServer(count), { backlog: 20_000, path })
  say({
    http: await listen(http, at),
    https: await listen(Https.createServer(pair, count), at),
    silent: await listen(silent, at),
    path,
    ca: pair.cert
  } satisfies Servers)
}

const measureAll = async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { growth: { type: "boolean" } }
  })
  /** How many connections or requests have arrived. */
  let arrived = 0
  /** A server of its own for each row: the ports of closed connections stay in use for a minute (RFC 9293 §3.4.2). */
  const start = async () => {
    const server = fork(new URL(import.meta.url))
    const servers = await new Promise<Servers>((resolve) => server.once("message", resolve))
    arrived = 0
    server.on("message", (count: number) => (arrived = count))
    return { server, servers }
  }
  /** Begins calls, and waits until so many more have arrived; if `problem` says something, they will not all come. */
  const begun = async <A>(count: number, begin: () => A, problem: (begun: A) => string) => {
    const expected = arrived + count
    const begun = begin()
    while (arrived < expected) {
      if (problem(begun) !== "") throw new Error(problem(begun))
      await setTimeout(20)
    }
    return begun
  }
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
  const queued = { connections: 1 }
  const memory = InMemoryTransport.layer(Fixtures.seed).pipe(
    Faults.inject(
      (function* () {
        for (;;) yield Faults.Fault.Hang()
      })()
    )
  )
  const rows: Readonly<Record<string, (servers: Servers) => Row>> = {
    "HTTP, queued": ({ http }) => node(url(http), queued, one),
    "HTTP, in flight": ({ http }) => node(url(http), {}, all),
    "TLS, queued": ({ https, ca }) => node(url(https, "https"), { ...queued, tls: { ca } }, one),
    "TLS, connecting": ({ silent, ca }) => node(url(silent, "https"), { tls: { ca } }, all),
    "TLS, in flight": ({ https, ca }) => node(url(https, "https"), { tls: { ca } }, all),
    "a proxy, in flight": ({ http }) => node(url(http), { proxy: url(http) }, all),
    "a tunnel, queued": ({ http }) => node(url(http), { ...queued, proxy: { url: url(http), tunnel: true } }, one),
    "a tunnel, connecting": ({ http, silent }) => node(url(http), { proxy: { url: url(silent), tunnel: true } }, all),
    "a tunnel, in flight": ({ http }) => node(url(http), { proxy: { url: url(http), tunnel: true } }, all),
    "a Unix socket, queued": ({ http, path }) => node(url(http), { ...queued, socketPath: path }, one),
    "a Unix socket, in flight": ({ http, path }) => node(url(http), { socketPath: path }, all),
    pacing: ({ http }) => ({ ...node(url(http), {}, one), pacing: Pacing.fixed({ limit: 1, window: "1 minute" }) }),
    "fetch, in flight": ({ http }) => ({ transport: FetchTransport.layer, baseUrl: url(http), arrive: all }),
    "in memory": () => ({ transport: memory, baseUrl: "http://localhost", arrive: none })
  }

  /** The ms of CPU from here until all is quiet. */
  const cost = async (end: () => Promise<unknown>) => {
    await setTimeout(100)
    const start = process.threadCpuUsage()
    await end()
    await setTimeout(100)
    const { system, user } = process.threadCpuUsage(start)
    return (system + user) / 1000
  }
  const aborted = new Error("aborted")
  type End = () => Promise<unknown>
  const request = (socket: Net.Socket, onError: (error: Error) => void): End => {
    socket.on("error", onError).write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
    return () => new Promise((resolve) => socket.destroy(aborted).once("close", resolve))
  }
  /** Requests of Node.js without a client, and how each is ended: what remains if the client costs nothing. */
  const alone: Readonly<Record<string, (servers: Servers, onError: (error: Error) => void) => End>> = {
    "node:net, in flight": ({ http }, onError) => request(Net.connect(http, "127.0.0.1"), onError),
    "node:tls, connecting": ({ silent }, onError) => request(Tls.connect(silent, "127.0.0.1"), onError),
    "node:tls, in flight": ({ ca, https }, onError) => request(Tls.connect(https, "127.0.0.1", { ca }), onError),
    "fetch of Node.js, in flight": ({ http }, onError) => {
      const controller = new AbortController()
      const ended = fetch(url(http), { signal: controller.signal }).then(() => {}, onError)
      return () => {
        controller.abort()
        return ended
      }
    }
  }
  /** Which of them a row is compared with. */
  const floorOf = (name: string) =>
    /queued|pacing|memory/.test(name)
      ? ""
      : name.startsWith("TLS")
        ? name.replace("TLS", "node:tls")
        : name.startsWith("fetch")
          ? "fetch of Node.js, in flight"
          : "node:net, in flight"
  const measureAlone = async (begin: (onError: (error: Error) => void) => End, calls: number) => {
    let problem = ""
    const beginAll = () => Array.from({ length: calls }, () => begin((error) => (problem = String(error))))
    const ends = await begun(calls, beginAll, () => problem)
    return cost(() => Promise.all(ends.map((end) => end())))
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
    const fibers = await begun(
      arrive(calls),
      () => Array.from({ length: calls }, () => Effect.runFork(cloud.organizations.list())),
      (fibers) => String(fibers.find((fiber) => fiber.pollUnsafe() !== undefined)?.pollUnsafe() ?? "")
    )
    const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
    const taken = await cost(async () => {
      if (isClose) await close()
      else for (const fiber of fibers) fiber.interruptUnsafe()
      await Effect.runPromise(Effect.forEach(fibers, Fiber.await, { discard: true }))
    })
    await close()
    return taken
  }

  const counts = [2500, 5000, 10_000]
  console.log(Figures.head("ms of CPU", "how", ...counts.map(String)))
  const isChosen = (name: string) => name.includes(positionals[0] ?? "")
  const report = async (name: string, how: string, one: (servers: Servers, calls: number) => Promise<number>) => {
    const times: Array<number> = []
    const { server, servers } = await start()
    for (const count of counts) times.push(await one(servers, count))
    server.disconnect()
    console.log(Figures.row(name, how, ...times.map((time) => time.toFixed(0))))
    return times
  }
  const floors = new Map<string, number>()
  for (const [name, begin] of Object.entries(alone).filter(([name]) => isChosen(name))) {
    const times = await report(name, "alone", (servers, calls) =>
      measureAlone((onError) => begin(servers, onError), calls)
    )
    floors.set(name, times[2] ?? 0)
  }
  for (const [name, row] of Object.entries(rows).filter(([name]) => isChosen(name))) {
    // only undici holds connections, and a call in the queue of a pacing is not the transport's
    for (const how of /pacing|fetch|memory/.test(name) ? ["interrupted"] : ["interrupted", "closed"]) {
      let [quarter, whole] = [NaN, NaN]
      // of what is short, much is noise; what grows faster than its calls does so each time
      for (let round = 0; round < 3 && !(whole <= 200 || whole <= 6 * quarter); round++) {
        const times = await report(name, how, (servers, calls) => measure(row(servers), calls, how === "closed"))
        ;[quarter = NaN, , whole = NaN] = times
      }
      const limit = (floors.get(floorOf(name)) ?? 0) + 1000
      const what = `${name}, ${how}`
      if (values.growth !== true) Figures.hold(`${what}: ${counts[2]} calls`, whole, "at most", limit, " ms")
      if (whole > 200) Figures.hold(`${what}: four times as many`, whole / quarter, "at most", 6)
    }
  }
}

if (process.send === undefined) await measureAll()
else await serve((message) => process.send?.(message))
