import { Effect, Fiber, Random } from "effect"
import type { Seed } from "@cloud-management/service"
import * as Sql from "../fixtures/Sql.ts"
import { keyId } from "../fixtures/Tenants.ts"
import * as Deployment from "./Deployment.ts"
import * as History from "./History.ts"
import * as Journal from "./Journal.ts"
import * as Load from "./load.ts"
import * as Client from "./Client.ts"

export interface Plan extends Load.Pace {
  readonly seed: string
  readonly database: string
  readonly nodes: number
  readonly isBalanced: boolean
  readonly races: number
  readonly others?: Seed.Document
}

export interface Lab {
  readonly cluster: Deployment.Deployment
  readonly journal: Journal.Journal
  readonly races: Effect.Effect<unknown>
}

const judge = Effect.fnUntraced(function* (
  { cluster, journal }: Lab,
  placed: ReadonlyArray<Load.Placed>,
  seen: ReadonlyArray<History.History>,
  database: string
) {
  const begun = performance.now()
  const ids = new Set(yield* Sql.values(database, "SELECT id FROM api_keys"))
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
    wrong: [
      ...journal.wrong,
      ...cluster.nodes.flatMap(({ crashes }) => crashes),
      ...vanished.map((key) => `${key} is gone, and nobody deleted it`),
      ...histories.flatMap((history) => History.wrong(history) ?? [])
    ]
  }
})

/** A load until something else is over; then the responses are held against the model, the database and every node. */
export const run = Effect.fnUntraced(function* <A, E, R>(plan: Plan, meanwhile: (lab: Lab) => Effect.Effect<A, E, R>) {
  const { database, others, races, seed } = plan
  const begun = performance.now()
  const { keys, placed } = yield* Random.withSeed(Load.place(races), `${seed} races`)
  const { organizations } = Client.document(Load.tenants, keys)
  const content = { organizations: [...organizations, ...(others?.organizations ?? [])] }
  const cluster = yield* Deployment.start(database, content, plan)
  const journal = Journal.make()

  let isOver = false
  const load = Load.make(cluster, journal, plan, () => isOver)
  const racing = yield* Effect.forkChild(load.races(placed))
  const reading = yield* Effect.forkChild(load.readers)
  const lab: Lab = { cluster, journal, races: Fiber.await(racing) }
  const result = yield* meanwhile(lab)
  isOver = true
  const heard = yield* Fiber.join(racing)
  yield* Fiber.join(reading)
  const seen = yield* load.look(heard)
  const verdict = yield* judge(lab, placed, seen, database)
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  const { counts, errors } = journal
  return { ...counts, ...verdict, requests: cluster.requests(), errors, seconds, seed, lab, result }
})

/** Says what came of a run, and what is wrong, if anything, in a few lines: then the check fails. */
export const conclude = (
  what: string,
  report: Omit<Effect.Success<ReturnType<typeof run>>, "lab" | "result">,
  problems: ReadonlyArray<string> = []
) => {
  const { acknowledged, errors, requests, seconds, seed, unknown, wrong } = report
  const failures = [...errors.values()].reduce((sum, count) => sum + count, 0)
  const all = [...wrong, ...problems, ...(acknowledged === 0 ? ["no deletion was acknowledged"] : [])]
  for (const problem of all.slice(0, 20)) console.log(problem)
  console.log(
    `${what}: ${requests} requests, ${acknowledged} acknowledged deletes, ${unknown} of unknown outcome, ` +
      `client-visible errors: ${failures}, wrong: ${wrong.length} (${seconds} s, seed ${seed})`
  )
  if (all.length > 0) process.exitCode = 1
}
