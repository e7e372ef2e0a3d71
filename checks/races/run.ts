import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { keyId, withKeys } from "../fixtures/Tenants.ts"
import * as Child from "../fixtures/Child.ts"
import * as Content from "../fixtures/Content.ts"
import * as Http from "../fixtures/Http.ts"
import * as Client from "../cluster/Client.ts"
import * as History from "../cluster/History.ts"
import * as Race from "./Race.ts"

/** How many races of each kind. */
export interface Counts {
  readonly pairs: number
  readonly rings: number
  readonly graphs: number
}

const whats = new Map<number, History.Event["what"]>([
  [200, "deleted"],
  [401, "unauthorized"],
  [404, "not found"]
])

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
  const serve = (...args: ReadonlyArray<string>) =>
    Child.serve("--database", database, "--trusted-proxy", "127.0.0.1", ...args)
  const urls = [(yield* serve("--seed", `${folder}/seed.json`)).url, (yield* serve()).url]

  let turn = 0
  const run = Effect.fnUntraced(function* ({ key, race }: (typeof placed)[number]) {
    const ask = Effect.fnUntraced(function* (n: Race.Deletion) {
      const [caller, target] = [key(n.caller), key(n.target)]
      const by = urls[turn++ % urls.length] ?? ""
      const begun = performance.now()
      const status = yield* Http.remove(by, target, caller, { "x-forwarded-for": Client.addressOf(caller) })
      const what = whats.get(status)
      if (what === undefined) return yield* Effect.die(`HTTP ${status}`)
      const event: History.Event = { begun, ended: performance.now(), by, caller, target, what }
      return event
    })
    const order = yield* Random.shuffle(race.deletions)
    const events = yield* Effect.forEach(order, ask, { concurrency: "unbounded" })
    return { events, keys: Array.from({ length: race.keys }, (_, n) => key(n)) }
  })
  const answered = yield* Effect.forEach(yield* Random.shuffle(placed), run)

  const begun = performance.now()
  const ids = yield* Content.keyIds(database)
  const looked = { begun, ended: performance.now() }
  const wrong = answered.flatMap(
    ({ events, keys }) => History.wrong({ keys, events: [...events, ...History.stored(keys, ids, looked)] }) ?? []
  )
  return { races: races.length, deletions: answered.flatMap(({ events }) => events).length, wrong }
})
