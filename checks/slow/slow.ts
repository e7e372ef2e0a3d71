import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import { Agent } from "node:http"
import * as Net from "node:net"
import * as Child from "../fixtures/Child.ts"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import { latency } from "./ask.ts"

/** How many slow sockets of each kind. */
export const sockets = 100
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
export const readers = { sockets: 20, seconds: 45 } as const
const { deployKey } = Fixtures
const authorization = `Basic ${Base64.encode(`${deployKey.id}:${deployKey.secret}`)}`

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
export const run = Effect.gen(function* () {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(Fixtures.seed) })
  const { url } = yield* Child.serve("--seed", `${folder}/seed.json`)
  const other = yield* Child.serve("--seed", `${folder}/seed.json`)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const options = { agent, headers: { authorization } }
  return yield* Effect.promise(async () => {
    const beside: Array<number> = []
    const apart: Array<number> = []
    const ask = async () => {
      beside.push(await latency(`${url}/v1/organizations`, options))
      apart.push(await latency(`${other.url}/v1/organizations`, options))
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
