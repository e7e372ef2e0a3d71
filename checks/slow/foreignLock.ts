import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import { Agent } from "node:http"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { keyId, organizationId, withKeys } from "../fixtures/Tenants.ts"
import * as Child from "../fixtures/Child.ts"
import { ask, latency, type Answer } from "./ask.ts"

/** How long another process keeps the lock, in seconds. */
export const seconds = 20
/** How many deletions come meanwhile, all early enough to be given up before the lock is free. */
export const deletions = 56

const caller = keyId("a", 0)
const headers = { authorization: `Basic ${Base64.encode(`${caller}:secret`)}` }

/**
 * Deletes keys through `serve` on a SQLite file while another process, this one, holds its write lock. Gives the
 * latencies of reads and of `/health` meanwhile, those of a server of its own on another file at the same time, how the
 * deletions were answered, and their statuses when they were asked for again.
 */
export const run = Effect.gen(function* () {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(withKeys("a", deletions + 1)) })
  const serve = (database: string) => Child.serve("--database", database, "--seed", `${folder}/seed.json`)
  const database = `${folder}/cloud.db`
  const { url } = yield* serve(database)
  const free = yield* serve(`${folder}/free.db`)
  const agents = [1, 1, Infinity].map((maxSockets) => new Agent({ keepAlive: true, maxSockets }))
  const [reader, checker, deleter] = agents.map((agent) => ({ agent, headers }))
  return yield* Effect.promise(async () => {
    const read = (url: string) => latency(`${url}/v1/organizations`, reader!)
    const check = (url: string) => latency(`${url}/health`, checker!)
    const remove = (n: number) =>
      ask(`${url}/v1/organizations/${organizationId("a")}/keys/${keyId("a", n)}`, { ...deleter!, method: "DELETE" })
    const targets = Array.from({ length: deletions }, (_, n) => n + 1)
    const locked = { reads: Array<number>(), health: Array<number>() }
    const apart = { reads: Array<number>(), health: Array<number>() }

    /** Reads, and asks for `/health` ten times a second, for so many seconds. */
    const watch = async (seconds: number) => {
      const end = performance.now() + seconds * 1000
      const reading = async () => {
        while (performance.now() < end) {
          locked.reads.push(await read(url))
          apart.reads.push(await read(free.url))
        }
      }
      const checking = async () => {
        for (; performance.now() < end; await setTimeout(100)) {
          locked.health.push(await check(url))
          apart.health.push(await check(free.url))
        }
      }
      await Promise.all([reading(), checking()])
    }
    for (let i = 0; i < 500; i++) await read(url).then(() => read(free.url))

    const other = new DatabaseSync(database)
    other.exec("BEGIN IMMEDIATE")
    const removals = async () => {
      const answers: Array<Promise<Answer>> = []
      for (const n of targets) {
        answers.push(remove(n))
        await setTimeout(250)
      }
      return Promise.all(answers)
    }
    const [answers] = await Promise.all([removals(), watch(seconds)])
    other.close()
    const again = await Promise.all(targets.map(remove))
    agents.forEach((agent) => agent.destroy())
    return { locked, apart, answers, again }
  })
}).pipe(Effect.scoped)
