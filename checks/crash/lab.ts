import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import type * as Seed from "@cloud-management/service/Seed"
import * as Content from "../fixtures/Content.ts"
import { keyId } from "../fixtures/Tenants.ts"
import * as Deployment from "./Deployment.ts"
import * as History from "./History.ts"
import * as Journal from "./Journal.ts"
import * as Load from "./load.ts"
import * as Tenant from "./Tenant.ts"

/** What runs, and under which load. */
export interface Plan {
  readonly seed: string
  readonly database: string
  /** So many, up to three, behind nginx or without a balancer. */
  readonly nodes: number
  readonly isBalanced: boolean
  /** So many races are there to run, so many at once, with a pause in milliseconds after each. */
  readonly races: number
  readonly atOnce: number
  readonly pause: number
  /** Whether keys also ask: those of a race around it, others all the time, and all of them in the end. */
  readonly asks: boolean
  /** Beside the organizations of the load. */
  readonly others?: Seed.Document
}

/** What runs. */
export interface Lab {
  readonly cluster: Deployment.Deployment
  readonly journal: Journal.Journal
  /** Waits until all races are over. */
  readonly races: Effect.Effect<unknown>
}

/** Holds all answers against the model, and the keys that are in the database in the end. */
const judge = Effect.fnUntraced(function* (
  { cluster, journal }: Lab,
  placed: ReadonlyArray<Load.Placed>,
  seen: ReadonlyArray<History.History>,
  database: string
) {
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

/**
 * Nodes over a database, under a load of the client until something else is over: keys that delete one another, and others
 * that ask. Then what was answered is held against the model, the database and every node.
 */
export const run = Effect.fnUntraced(function* <A, E, R>(plan: Plan, meanwhile: (lab: Lab) => Effect.Effect<A, E, R>) {
  const { asks, atOnce, database, others, pause, races, seed } = plan
  const { keys, placed } = yield* Random.withSeed(Load.place(races), `${seed} races`)
  const { organizations } = Tenant.document(Load.tenants, keys)
  const content = { organizations: [...organizations, ...(others?.organizations ?? [])] }
  const cluster = yield* Deployment.start(database, content, plan)
  const journal = Journal.make()

  let isOver = false
  const pace = { isOver: () => isOver, races: atOnce, pause, asks }
  const racing = yield* Effect.forkChild(Load.races(cluster, journal, placed, pace))
  const reading = yield* Effect.forkChild(asks ? Load.readers(cluster, journal, pace) : Effect.void)
  const lab: Lab = { cluster, journal, races: Fiber.await(racing) }
  const result = yield* meanwhile(lab)
  isOver = true
  const heard = yield* Fiber.join(racing)
  yield* Fiber.join(reading)
  const seen = asks ? yield* Load.look(cluster, journal, heard) : heard
  const verdict = yield* judge(lab, placed, seen, database)
  return { ...journal.counts, ...verdict, requests: cluster.requests(), errors: journal.errors, lab, result }
})

/** Says what is wrong, in a few lines, and whether anything is. */
export const complain = ({
  lost,
  wrong
}: {
  readonly lost: ReadonlyArray<string>
  readonly wrong: ReadonlyArray<string>
}) => {
  for (const key of lost.slice(0, 10))
    console.log(`${key} was accepted, or still stored, after its deletion was acknowledged`)
  for (const problem of wrong.slice(0, 10)) console.log(problem)
  return lost.length + wrong.length > 0
}
