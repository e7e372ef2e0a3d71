import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import { Agent } from "node:http"
import * as Net from "node:net"
import { fileURLToPath } from "node:url"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Child from "../fixtures/Child.ts"
import { ask } from "./ask.ts"

/** How long secrets are guessed, in seconds: half of them from ever new addresses, then from one. */
export const seconds = 60
/** How many hops a long `X-Forwarded-For` has. */
export const hops = 5200

const { backupKey, deployKey } = Fixtures
const basic = (key: { readonly id: string; readonly secret: string }) =>
  `Basic ${Base64.encode(`${key.id}:${key.secret}`)}`
const wrong = basic({ ...deployKey, secret: Child.wrongSecret })
const guesser = "203.0.113.9"

/** Sends guesses over pipelined connections for a time, each from the address that it is given. How often each status came. */
const guess = async (url: string, millis: number, address: (n: number) => string) => {
  const statuses: Record<string, number> = {}
  const end = performance.now() + millis
  let sent = 0
  const connection = async () => {
    const socket = Net.connect(Number(new URL(url).port), "127.0.0.1")
    let received = ""
    let look = () => {}
    socket.setEncoding("latin1").on("data", (chunk) => {
      received += chunk
      look()
    })
    // a connection may have a thousand requests
    for (let batch = 0; batch < 60 && performance.now() < end; batch++) {
      const requests = Array.from({ length: 16 }, () =>
        [
          "GET /v1/organizations HTTP/1.1",
          "Host: guess",
          `Authorization: ${wrong}`,
          `X-Forwarded-For: ${address(sent++)}`,
          "",
          ""
        ].join("\r\n")
      )
      const answered = new Promise<void>((done) => {
        look = () => {
          const answers = [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
          if (answers.length < 16) return
          for (const [, status = ""] of answers) statuses[status] = (statuses[status] ?? 0) + 1
          received = ""
          done()
        }
      })
      socket.write(requests.join(""))
      await answered
    }
    socket.destroy()
  }
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (performance.now() < end) await connection()
    })
  )
  return statuses
}

/** What guessing does to `serve` while nobody reads its log, and what thousands of hops do. */
export const run = Effect.gen(function* () {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(Fixtures.seed) })
  const serve = ["serve", "--port", "0", "--format", "json", "--seed", `${folder}/seed.json`]
  const { end, process, until } = yield* Child.start([...serve, "--trusted-proxy", "127.0.0.1"], {
    NODE_OPTIONS: `--import=${fileURLToPath(new URL("heap.ts", import.meta.url))}`
  })
  const [, url = ""] = yield* until("stdout", /^\{"url":"(.+)"\}\n/)
  let asked = 0
  const heap = Effect.suspend(() => {
    process.kill("SIGUSR2")
    return Effect.map(until("stdout", new RegExp(`^heap ${++asked}: (\\d+)\n`, "m")), ([, bytes]) => Number(bytes))
  })
  const half = (seconds * 1000) / 2
  const fresh = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`

  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const list = (key: typeof deployKey, address: string) =>
    ask(`${url}/v1/organizations`, { agent, headers: { authorization: basic(key), "x-forwarded-for": address } })
  const latencies = yield* Effect.promise(async () => {
    const [short, long]: [Array<number>, Array<number>] = [[], []]
    for (let i = -200; i < 1000; i++) {
      const one = await list(deployKey, guesser)
      const many = await list(deployKey, `${"::,".repeat(hops - 1)}${guesser}`)
      if (one.status !== 200 || many.status !== 200) throw new Error(`HTTP ${one.status}, ${many.status}`)
      if (i < 0) continue
      short.push(one.took)
      long.push(many.took)
    }
    return { short, long }
  })

  process.stderr.pause()
  const before = yield* heap
  const strangers = yield* Effect.promise(() => guess(url, half, fresh))
  const between = yield* heap
  const same = yield* Effect.promise(() => guess(url, half, () => guesser))
  const after = yield* heap
  const statuses = yield* Effect.promise(async () => {
    const keys = [
      [deployKey, guesser],
      [backupKey, guesser],
      [deployKey, "192.0.2.1"]
    ] as const
    const answers = []
    for (const [key, address] of keys) answers.push((await list(key, address)).status)
    agent.destroy()
    return answers
  })
  process.stderr.resume()
  process.kill("SIGTERM")
  const { stderr } = yield* end
  const records = [...stderr.matchAll(/"audit":"authentication.failed"(?:.*?"count":(\d+))?/g)]
  const counted = records.reduce((sum, [, count = 1]) => sum + Number(count), 0)
  const [, rejected] = /"audit":"authentication.rejected","address":"203.0.113.9","count":(\d+)/.exec(stderr) ?? []
  return {
    latencies,
    heap: { before, between, after },
    strangers,
    same,
    /** Of the right secret after the guesses, another key of the address, and the right secret at another address. */
    statuses,
    log: { records: records.length, counted, rejected: Number(rejected), bytes: stderr.length }
  }
}).pipe(Effect.scoped)
