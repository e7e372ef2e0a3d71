import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import { Agent, request } from "node:http"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { keyId, organizationId, withKeys } from "../../packages/service/test/StoreContract.ts"
import * as Child from "../../packages/cli/test/Child.ts"

/** How long another process keeps the lock, in seconds. */
export const seconds = 20
/** How many deletions come meanwhile, all early enough to be given up before the lock is free. */
export const deletions = 56

const caller = keyId("a", 0)
const authorization = `Basic ${Base64.encode(`${caller}:secret`)}`

interface Answer {
  readonly status: number | undefined
  /** In milliseconds. */
  readonly took: number
}

const send = (url: string, agent: Agent, method: string, path: string) =>
  new Promise<Answer>((done, fail) => {
    const start = performance.now()
    const sent = request(`${url}${path}`, { method, agent, headers: { authorization } }, (response) => {
      response.resume()
      response.once("end", () => done({ status: response.statusCode, took: performance.now() - start }))
    })
    sent.once("error", fail)
    sent.end()
  })

/**
 * Deletes keys through `serve` on a SQLite file while another process, this one, holds its write lock. Gives the
 * latencies of reads and of `/health`, before and meanwhile, how the deletions were answered, and their statuses when they
 * were asked for again.
 */
export const run = Effect.gen(function* () {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(withKeys("a", deletions + 1)) })
  const database = `${folder}/cloud.db`
  const { url } = yield* Child.serve("--database", database, "--seed", `${folder}/seed.json`)
  const agents = [1, 1, Infinity].map((maxSockets) => new Agent({ keepAlive: true, maxSockets }))
  const [reader, checker, deleter] = agents
  return yield* Effect.promise(async () => {
    const read = async () => {
      const { status, took } = await send(url, reader!, "GET", "/v1/organizations")
      if (status !== 200) throw new Error(`a read got ${status}`)
      return took
    }
    const remove = (n: number) =>
      send(url, deleter!, "DELETE", `/v1/organizations/${organizationId("a")}/keys/${keyId("a", n)}`)
    const targets = Array.from({ length: deletions }, (_, n) => n + 1)

    /** Reads, and asks for `/health` ten times a second, for so many seconds: the latencies of both. */
    const watch = async (seconds: number) => {
      const end = performance.now() + seconds * 1000
      const reads: Array<number> = []
      const health: Array<number> = []
      const reading = async () => {
        while (performance.now() < end) reads.push(await read())
      }
      const checking = async () => {
        for (; performance.now() < end; await setTimeout(100)) {
          health.push((await send(url, checker!, "GET", "/health")).took)
        }
      }
      await Promise.all([reading(), checking()])
      return { reads, health }
    }
    for (let i = 0; i < 500; i++) await read()
    const before = await watch(seconds / 2)

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
    const [answers, during] = await Promise.all([removals(), watch(seconds)])
    other.close()
    const again = await Promise.all(targets.map(remove))
    agents.forEach((agent) => agent.destroy())
    return { before, during, answers, again }
  })
}).pipe(Effect.scoped)
