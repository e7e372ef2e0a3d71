import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import { Agent, request } from "node:http"
import * as Net from "node:net"
import * as Child from "./Child.ts"
import * as Fixtures from "@cloud-management/testing/Fixtures"

/** How many slow sockets of each kind. */
export const sockets = 100
const { deployKey } = Fixtures
const authorization = `Basic ${Base64.encode(`${deployKey.id}:${deployKey.secret}`)}`

/** How long one request takes, in milliseconds. */
const measure = (url: string, agent: Agent) =>
  new Promise<number>((done, fail) => {
    const start = performance.now()
    const sent = request(`${url}/v1/organizations`, { agent, headers: { authorization } }, (response) => {
      response.resume()
      response.once("end", () =>
        response.statusCode === 200 ? done(performance.now() - start) : fail(new Error(`HTTP ${response.statusCode}`))
      )
    })
    sent.once("error", fail)
    sent.end()
  })

/** Sends a head at once and then a byte every 300 milliseconds. Gives how long it lived, in milliseconds. */
const trickle = (url: string, head: string) =>
  new Promise<number>((done) => {
    const start = performance.now()
    const socket = Net.connect(Number(new URL(url).port), "127.0.0.1")
    socket.on("error", () => {})
    socket.resume()
    socket.write(head)
    const timer = setInterval(() => socket.write("a"), 300)
    socket.once("close", () => {
      clearInterval(timer)
      done(performance.now() - start)
    })
  })

/** Latencies of requests in milliseconds, alone and beside slow sockets, and how long those lived, in seconds. */
export const run = Effect.gen(function* () {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(Fixtures.seed) })
  const { url } = yield* Child.serve("--seed", `${folder}/seed.json`)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return yield* Effect.promise(async () => {
    for (let i = 0; i < 500; i++) await measure(url, agent)
    const before: Array<number> = []
    for (let i = 0; i < 2000; i++) before.push(await measure(url, agent))

    let open = true
    const lives = Promise.all([
      Promise.all(Array.from({ length: sockets }, () => trickle(url, "GET /health HTTP/1.1\r\nHost: slow\r\nX-A: "))),
      Promise.all(
        Array.from({ length: sockets }, () =>
          trickle(url, "DELETE /health HTTP/1.1\r\nHost: slow\r\nContent-Length: 1000\r\n\r\n")
        )
      )
    ]).finally(() => (open = false))
    const during: Array<number> = []
    while (open) during.push(await measure(url, agent))
    const [headers, bodies] = await lives
    agent.destroy()
    return { before, during, headers: Math.max(...headers) / 1000, bodies: Math.max(...bodies) / 1000 }
  })
}).pipe(Effect.scoped)
