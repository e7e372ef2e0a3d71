import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Base64 from "effect/encoding/Base64"
import { Agent, request } from "node:http"
import { keyId, organizationId, withKeys } from "../../packages/service/test/StoreContract.ts"
import * as Child from "../../packages/cli/test/Child.ts"
import * as Content from "../../packages/cli/test/Content.ts"
import * as Race from "./Race.ts"

/** How many races of each kind. */
export interface Counts {
  readonly pairs: number
  readonly rings: number
  readonly graphs: number
}

/** More failed authentications from one address would be answered with 429. */
const failuresPerAddress = 80

/** Sends deletions, each to the next of the nodes. */
const sender = (urls: ReadonlyArray<string>) => {
  const agent = new Agent({ keepAlive: true })
  let failures = 0
  let turn = 0
  const send = (url: string, key: string, caller: string) =>
    Effect.callback<number>((resume) => {
      const sent = request(`${url}/v1/organizations/${organizationId("a")}/keys/${key}`, {
        agent,
        method: "DELETE",
        localAddress: `127.0.0.${1 + Math.floor(failures / failuresPerAddress)}`,
        headers: { authorization: `Basic ${Base64.encode(`${caller}:secret`)}` }
      })
      sent.once("error", (error) => resume(Effect.die(error)))
      sent.once("response", (response) => {
        response.resume()
        response.once("end", () => {
          if (response.statusCode === 401) failures++
          resume(Effect.succeed(response.statusCode ?? 0))
        })
      })
      sent.end()
    })
  return (key: string, caller: string) => send(urls[turn++ % urls.length] ?? "", key, caller)
}

/** Runs races over a new database on two nodes, processes of their own. The answer names those that went wrong. */
export const run = Effect.fnUntraced(function* (database: string, { graphs, pairs, rings }: Counts) {
  const races = [
    ...Array.from({ length: pairs }, () => Race.ring(2)),
    ...Array.from({ length: rings }, (_, n) => Race.ring(3 + (n % 6))),
    ...(yield* Effect.replicateEffect(Race.graph, graphs))
  ]
  let keys = 0
  const placed = races.map((race) => {
    const first = keys
    keys += race.keys
    return { race, key: (n: number) => keyId("a", first + n) }
  })
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(withKeys("a", keys)) })
  const first = yield* Child.serve("--database", database, "--seed", `${folder}/seed.json`)
  const second = yield* Child.serve("--database", database)
  const send = sender([first.url, second.url])

  const run = Effect.fnUntraced(function* ({ key, race }: (typeof placed)[number]) {
    const order = yield* Random.shuffle(race.deletions.keys())
    const answers = yield* Effect.forEach(
      order,
      (n) => {
        const { caller = 0, target = 0 } = race.deletions[n] ?? {}
        return Effect.map(send(key(target), key(caller)), (status) => [n, status] as const)
      },
      { concurrency: "unbounded" }
    )
    const statuses = answers.toSorted(([a], [b]) => a - b).map(([, status]) => status)
    return { key, race, statuses }
  })
  const answered = yield* Effect.forEach(yield* Random.shuffle(placed), run)

  const ids = yield* Content.keyIds(database)
  const wrong = answered.flatMap(({ key, race, statuses }) => {
    const left = new Set([...Array.from({ length: race.keys }).keys()].filter((n) => ids.has(key(n))))
    const deletions = race.deletions.map(({ caller, target }, n) => `${caller} deletes ${target}: ${statuses[n]}`)
    return Race.fits(race, statuses, left) ? [] : [`${deletions.join(", ")}; left: ${[...left].join(", ") || "none"}`]
  })
  return { races: races.length, deletions: answered.flatMap(({ statuses }) => statuses).length, wrong }
})
