/**
 * `npm run check slow`: 100 sockets that send their headers a byte at a time, 100 of each of several kinds that do so with
 * a body, and 20 that never read, against `serve` as it is. The slow ones have to be closed within 15 seconds, those that
 * never read within 45, and the other requests have to keep their latency. It catches sockets that delay other callers.
 *
 * Latencies are compared with those of a second server that nobody troubles, asked in turn with the first. The longest of
 * its answers is due to the machine, and allowed beside the limit; when it took over a second, the measurement is
 * repeated, at most twice, and no more than 2 seconds are allowed.
 */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import { Agent, request } from "node:http"
import * as Net from "node:net"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import { percentile } from "../bench/figures.ts"
import * as Child from "../fixtures/Child.ts"

/** How many slow sockets of each kind. */
const sockets = 100
const head = (line: string, ...headers: ReadonlyArray<string>) =>
  [`${line} HTTP/1.1`, "Host: slow", ...headers].join("\r\n")
/** What they send at once, before a byte at a time. */
const kinds = {
  headers: head("GET /health", "X-A: "),
  bodies: head("GET /health", "Content-Length: 1000", "", ""),
  "bodies in chunks": head("GET /health", "Transfer-Encoding: chunked", "", "3e8\r\n"),
  "bodies that are asked for": head("GET /health", "Expect: 100-continue", "Content-Length: 1000", "", ""),
  "bodies of an upgrade": head("GET /health", "Upgrade: h2c", "Content-Length: 1000", "", ""),
  "bodies of OPTIONS": head("OPTIONS /health", "Content-Length: 1000", "", ""),
  "bodies after a document": head("GET /docs", "", "GET /health HTTP/1.1", "Host: slow", "Content-Length: 1000", "", "")
} as const
/** How many sockets ask for documents and never read them, and how long that is looked at, in seconds. */
const readers = { sockets: 20, seconds: 45 } as const
const { deployKey } = Fixtures
const authorization = `Basic ${Base64.encode(`${deployKey.id}:${deployKey.secret}`)}`

/**
 * How long a list takes, in milliseconds. On a connection that the server closed for being idle at that moment, it is sent
 * again, as the documentation of `request.reusedSocket` in Node.js recommends.
 */
const latency = (url: string, agent: Agent): Promise<number> => {
  const start = performance.now()
  return new Promise((done, fail) => {
    const send = () => {
      const sent = request(`${url}/v1/organizations`, { agent, headers: { authorization } }, (response) => {
        const { statusCode } = response.resume()
        response.once("error", fail).once("end", () => {
          if (statusCode === 200) done(performance.now() - start)
          else fail(new Error(`${url}: HTTP ${statusCode}`))
        })
      })
      sent.once("error", (error: NodeJS.ErrnoException) =>
        sent.reusedSocket && error.code === "ECONNRESET" ? send() : fail(error)
      )
      sent.end()
    }
    send()
  })
}

/** Sends a head at once and then a byte every 300 milliseconds. Gives how long its request lived, in milliseconds. */
const trickle = (url: string, head: string) =>
  new Promise<number>((done) => {
    let start = performance.now()
    let end = ""
    const socket = Net.connect(Number(new URL(url).port), "127.0.0.1").setEncoding("latin1")
    socket.on("error", () => {})
    socket.on("data", (chunk) => {
      end = (end + String(chunk)).slice(-100)
      // the time of the slow request begins when the document before it has come
      if (end.includes("</html>")) [start, end] = [performance.now(), ""]
    })
    socket.write(head)
    const timer = setInterval(() => socket.write("a"), 300)
    socket.once("close", () => {
      clearInterval(timer)
      done(performance.now() - start)
    })
  })

/** Asks for documents, and reads nothing before the time is over. Gives whether the service had given up by then. */
const neverRead = (url: string) =>
  new Promise<boolean>((done) => {
    const documents = 10
    let received = ""
    const socket = Net.connect(Number(new URL(url).port), "127.0.0.1")
      .setEncoding("latin1")
      .pause()
    socket.on("error", () => {})
    socket.on("data", (chunk) => (received += String(chunk)))
    socket.write(head("GET /docs", "", "").repeat(documents))
    const timer = setTimeout(() => socket.resume(), readers.seconds * 1000)
    socket.once("close", () => {
      clearTimeout(timer)
      done(received.split("</html>").length - 1 < documents)
    })
  })

/**
 * Latencies of requests in milliseconds, beside slow sockets and, at the same time, of a server of its own without any;
 * how long the slow ones lived, in seconds, and how many of those that never read were given up.
 */
const run = Effect.gen(function* () {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(Fixtures.seed) })
  const { url } = yield* Child.serve("--seed", `${folder}/seed.json`)
  const other = yield* Child.serve("--seed", `${folder}/seed.json`)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return yield* Effect.promise(async () => {
    const beside: Array<number> = []
    const apart: Array<number> = []
    const ask = async () => {
      beside.push(await latency(url, agent))
      apart.push(await latency(other.url, agent))
    }
    for (let i = 0; i < 500; i++) await ask()
    beside.length = apart.length = 0

    let open = true
    const lives = Promise.all([
      Promise.all(
        Object.entries(kinds).map(async ([kind, text]) => {
          const times = await Promise.all(Array.from({ length: sockets }, () => trickle(url, text)))
          return [kind, Math.max(...times) / 1000] as const
        })
      ),
      Promise.all(Array.from({ length: readers.sockets }, () => neverRead(url)))
    ]).finally(() => (open = false))
    while (open) await ask()
    const [slow, unread] = await lives
    agent.destroy()
    return { beside, apart, slow, givenUp: unread.filter(Boolean).length }
  })
}).pipe(Effect.scoped)

const show = (values: ReadonlyArray<number>) =>
  `median ${percentile(values, 0.5).toFixed(2)} ms, 99th percentile ${percentile(values, 0.99).toFixed(2)} ms, ` +
  `${values.length} requests`

/** What a measurement gave, and the longest answer of the server that nobody troubled, in milliseconds. */
const measure = async () => {
  for (let left = 2; ; left--) {
    const result = await Effect.runPromise(run)
    const stall = percentile(result.apart, 1)
    if (stall < 1000 || left === 0) return { ...result, stall: Math.min(stall, 2000) }
    console.log(`measured again: the undisturbed server took ${(stall / 1000).toFixed(1)} s`)
  }
}

const { apart, beside, givenUp, slow, stall } = await measure()
console.log(`beside slow sockets:  ${show(beside)}`)
console.log(`a server without any: ${show(apart)}`)
for (const [kind, seconds] of slow) console.log(`${sockets} slow ${kind} closed within ${seconds.toFixed(1)} s`)
console.log(`${givenUp} of ${readers.sockets} that never read were closed within ${readers.seconds} s`)
const slower = percentile(beside, 0.5) / percentile(apart, 0.5)
const problems = [
  slow.every(([, seconds]) => seconds < 15 + stall / 1000) ? [] : "slow sockets lived too long",
  givenUp === readers.sockets ? [] : "sockets that never read lived too long",
  slower < 2 ? [] : `the median beside slow sockets is ${slower.toFixed(1)} times that without`
].flat()
for (const problem of problems) console.log(`FAILED: ${problem}`)
if (problems.length === 0) console.log("ok")
process.exitCode = problems.length === 0 ? 0 : 1
