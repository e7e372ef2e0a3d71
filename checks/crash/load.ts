import { Effect, Random } from "effect"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import { Retry } from "@cloud-management/client"
import { keyId } from "../fixtures/Tenants.ts"
import type { Deployment } from "./Deployment.ts"
import type { Event, History } from "./History.ts"
import type { Journal } from "./Journal.ts"
import * as Client from "./Client.ts"

interface Race {
  readonly keys: number
  readonly deletions: ReadonlyArray<{ readonly caller: number; readonly target: number }>
}

/** Each key deletes the next, and the last one the first; with two keys, each the other. */
const ring = (keys: number): Race => ({
  keys,
  deletions: Array.from({ length: keys }, (_, n) => ({ caller: n, target: (n + 1) % keys }))
})

/** From 3 to 8 keys of which some delete some others, several of them perhaps the same one. */
const graph = Effect.gen(function* () {
  const keys = yield* Random.nextIntBetween(3, 8)
  const deletion = Effect.gen(function* () {
    const caller = yield* Random.nextIntBetween(0, keys - 1)
    const target = yield* Random.nextIntBetween(0, keys - 2)
    return { caller, target: target < caller ? target : target + 1 }
  })
  const count = yield* Random.nextIntBetween(keys, 2 * keys)
  return { keys, deletions: yield* Effect.replicateEffect(deletion, count) }
})

export const tenants = ["a", "b", "c", "d"]
const tenantOf = (key: ApiKeyId) => key.charAt(0)
const asksOf = (key: ApiKeyId) => {
  const other = tenants.find((tenant) => tenant !== tenantOf(key)) ?? ""
  return Client.asks(tenantOf(key), other, key)
}

export interface Placed {
  readonly race: Race
  readonly keys: ReadonlyArray<ApiKeyId>
}

/** So many races, which the tenants take in turn. The first key of each tenant is in none. */
export const place = Effect.fnUntraced(function* (count: number) {
  const taken = new Map(tenants.map((tenant) => [tenant, 1]))
  const placed: Array<Placed> = []
  for (let n = 0; n < count; n++) {
    const tenant = tenants[n % tenants.length] ?? ""
    const race = n % 3 === 0 ? ring(2) : n % 3 === 1 ? ring(3 + (n % 5)) : yield* graph
    const first = taken.get(tenant) ?? 0
    taken.set(tenant, first + race.keys)
    placed.push({ race, keys: Array.from({ length: race.keys }, (_, key) => keyId(tenant, first + key)) })
  }
  return { placed, keys: Math.max(...taken.values()) }
})

export interface Pace {
  readonly atOnce: number
  /** After each race, in milliseconds; a reader waits a tenth of it after each call. */
  readonly pause: number
  /** Whether keys also ask: those of a race around it, others all the time, and all of them in the end. */
  readonly asks: boolean
}

const all = { concurrency: "unbounded" } as const

export const make = ({ front, nodes, transport }: Deployment, journal: Journal, pace: Pace, isOver: () => boolean) => {
  const { asks, atOnce, pause } = pace
  const asUser = (key: ApiKeyId) => Effect.suspend(() => Client.make(transport, front(), key))
  const direct = (key: ApiKeyId) =>
    Effect.forEach(nodes, ({ address, url }) => Client.make(transport, { by: address, url, isFront: false }, key))
  const ask = (client: Client.Client, ask: Client.Ask, target?: ApiKeyId) =>
    Effect.map(Client.call(client, ask), (outcome) => journal.note(client, ask, outcome, target))

  const race = Effect.fnUntraced(function* ({ keys, race }: Placed, histories: Array<History>) {
    while (!isOver() && !nodes.some((node) => node.isUp())) yield* Effect.sleep("10 millis")
    if (isOver()) return
    const events: Array<Event> = []
    const note = (effect: Effect.Effect<ReadonlyArray<Event>>) =>
      Effect.map(effect, (heard) => void events.push(...heard))
    const askEach = Effect.forEach(
      asks ? keys : [],
      Effect.fnUntraced(function* (key) {
        yield* note(ask(yield* asUser(key), yield* Random.choice(asksOf(key))))
      }),
      all
    )
    const remove = Effect.fnUntraced(function* ({ caller, target }: Race["deletions"][number]) {
      const [by, key] = [keys[caller], keys[target]]
      if (by === undefined || key === undefined) return
      const deletion = Client.remove("delete", tenantOf(key), key, "deleted", "ApiKeyNotFound")
      const heard = yield* ask(yield* asUser(by), deletion, key)
      events.push(...heard)
      if (!heard.some(({ what }) => what === "deleted" || what === "assumed")) return
      const list = Client.list(tenantOf(key))
      const onNodes = (yield* direct(key)).map((client) => Retry.within(Retry.none)(ask(client, list)))
      yield* Effect.forEach([ask(yield* asUser(key), list), ...onNodes], note, all)
    })
    yield* askEach
    yield* Effect.forEach(yield* Random.shuffle(race.deletions), remove, all)
    yield* askEach
    histories.push({ keys, events })
    if (pause > 0) yield* Effect.sleep(pause)
  }, Effect.scoped)

  const read = Effect.fnUntraced(function* (tenant: string) {
    const key = keyId(tenant, 0)
    const client = yield* asUser(key)
    while (!isOver()) {
      const events = yield* ask(client, yield* Random.choice(asksOf(key)))
      if (events.some(({ what }) => what === "unauthorized")) journal.wrong.push(`401 for ${key}, which nobody deleted`)
      if (pause > 0) yield* Effect.sleep(pause / 10)
    }
  }, Effect.scoped)

  const lookAt = Effect.fnUntraced(function* (key: ApiKeyId) {
    const heard = yield* Effect.forEach(yield* direct(key), (client) =>
      // a connection that the last restart of the database broke gives a 503, once
      Retry.within(Retry.patient)(ask(client, Client.list(tenantOf(key))))
    )
    if (heard.some((events) => events.length === 0)) journal.wrong.push(`in the end a node does not respond to ${key}`)
    return heard.flat()
  }, Effect.scoped)

  return {
    /**
     * The keys of each race say who they are, and then delete one another, all at once. As soon as a deletion is
     * acknowledged, every node is asked with the key that is gone, also as users do. No race begins while no node is up,
     * or once it is over.
     */
    races: Effect.fnUntraced(function* (placed: ReadonlyArray<Placed>) {
      const histories: Array<History> = []
      yield* Effect.forEach(placed, (placed) => race(placed, histories), { concurrency: atOnce, discard: true })
      return histories
    }),
    /** Keys that nobody deletes, one a tenant, ask until it is over. */
    readers: Effect.forEach(asks ? tenants : [], read, all),
    look: (histories: ReadonlyArray<History>) =>
      Effect.forEach(
        histories,
        ({ events, keys }) =>
          Effect.map(Effect.forEach(asks ? keys : [], lookAt), (heard): History => ({
            keys,
            events: [...events, ...heard.flat()]
          })),
        { concurrency: 8 }
      )
  }
}
