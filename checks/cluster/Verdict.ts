import * as Effect from "effect/Effect"
import { keyId } from "../fixtures/Tenants.ts"
import * as Content from "../fixtures/Content.ts"
import type { Cluster } from "./Cluster.ts"
import * as History from "./History.ts"
import type { Journal } from "./Journal.ts"
import * as Load from "./load.ts"

/** Holds all answers against the model, the keys that are in the database in the end, and what every node says of them. */
export const reach = Effect.fnUntraced(function* (
  cluster: Cluster,
  journal: Journal,
  placed: ReadonlyArray<Load.Placed>,
  heard: ReadonlyArray<History.History>,
  database: string
) {
  const seen = yield* Load.look(cluster, journal, heard)
  const begun = performance.now()
  const ids = yield* Content.keyIds(database)
  const looked = { begun, ended: performance.now() }
  const histories = seen.map(({ events, keys }): History.History => ({
    keys,
    events: [...events, ...History.stored(keys, ids, looked)]
  }))
  const touched = new Set(histories.flatMap(({ keys }) => keys))
  const vanished = [...Load.tenants.map((tenant) => keyId(tenant, 0)), ...placed.flatMap(({ keys }) => keys)].filter(
    (key) => !touched.has(key) && !ids.has(key)
  )
  return {
    races: histories.length,
    acknowledged: histories.reduce((sum, history) => sum + History.acknowledged(history).size, 0),
    lost: histories.flatMap(History.lost),
    wrong: [
      ...journal.wrong,
      ...cluster.nodes.flatMap(({ crashes }) => crashes),
      ...vanished.map((key) => `${key} is gone, and nobody deleted it`),
      ...histories.flatMap((history) => (History.lost(history).length > 0 ? [] : (History.wrong(history) ?? [])))
    ]
  }
})
