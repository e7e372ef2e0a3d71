import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import * as Database from "../../packages/service/src/node/internal/sqlClient.ts"
import { keyId } from "../fixtures/Tenants.ts"
import * as Child from "../fixtures/Child.ts"
import * as Http from "../fixtures/Http.ts"
import * as Faults from "./faults.ts"
import * as Journal from "./Journal.ts"
import * as Lab from "./lab.ts"
import * as Patroni from "./Patroni.ts"
import * as Tenant from "./Tenant.ts"

/** More races than the load gets through in the longest run. */
const races = 1000

/** Keys that a variant deletes. */
const perVariant = 10

/** What became of a fault under the load, in milliseconds. */
export interface Outcome {
  readonly name: string
  /** Until the other server was the primary. */
  readonly promoted: number
  /** Until there was a primary with its standby again. */
  readonly whole: number
  readonly withoutAnswer: number
  readonly withoutDeletion: number
}

/** Deletions of a few keys of a tenant, aside from the load. */
export interface Few {
  readonly acknowledged: number
  /** Keys whose deletion was acknowledged, and that were let in later. */
  readonly letIn: number
}

const few = (tenant: string) => {
  const acknowledged: Array<ApiKeyId> = []
  const keys = Array.from({ length: perVariant }, (_, n) => keyId(tenant, n + 1))
  return {
    acknowledged,
    /** Deletes them, each once or until that is acknowledged. */
    remove: (url: string, isOnce: boolean) =>
      Effect.forEach(
        keys,
        Effect.fnUntraced(function* (key) {
          for (;;) {
            const status = yield* Http.remove(url, key, keyId(tenant, 0))
            if (status === 200) return void acknowledged.push(key)
            // an attempt before this one was applied after all
            if (status === 404 || isOnce) return
            yield* Effect.sleep("200 millis")
          }
        }),
        { concurrency: perVariant, discard: true }
      ),
    /** Tries on a node all keys whose deletion was acknowledged. */
    check: Effect.fnUntraced(function* (url: string) {
      const statuses = yield* Effect.forEach(acknowledged, (key) => answered(url, key), { concurrency: perVariant })
      const outcome: Few = {
        acknowledged: acknowledged.length,
        letIn: statuses.filter((status) => status === 200).length
      }
      return outcome
    })
  }
}

/** The status of a read, once it is another one than 503. */
const answered = Effect.fnUntraced(function* (url: string, key: ApiKeyId) {
  for (;;) {
    const status = yield* Http.read(url, key)
    if (status !== 503) return status
    yield* Effect.sleep("200 millis")
  }
})

const standbyNames = (database: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ synchronous_standby_names: string }>`SHOW synchronous_standby_names`
    return row?.synchronous_standby_names
  }).pipe(Effect.provide(Database.layer(database)))

/**
 * Three nodes over PostgreSQL under Patroni, behind nginx, under a load of the client: each fault in turn, and then the same
 * without what protects against it.
 */
export const run = Effect.fnUntraced(function* (seed: string, report: (line: string) => void) {
  const patroni = yield* Patroni.start
  const others = Tenant.document(["e", "f", "9"], perVariant + 1)
  const plan = {
    seed,
    database: patroni.database,
    nodes: 3,
    isBalanced: true,
    races,
    atOnce: 4,
    pause: 1000,
    asks: true,
    others
  }

  const suffer = Effect.fnUntraced(function* <A>(
    { deletions, served }: Journal.Journal,
    fault: Faults.Fault,
    meanwhile: Effect.Effect<A, unknown>,
    after: Effect.Effect<void, unknown> = Effect.void
  ) {
    report(fault.name)
    const { primary, standby } = yield* patroni.roles
    yield* fault.prepare?.(primary) ?? Effect.void
    const from = performance.now()
    yield* fault.begin(primary, standby)
    yield* patroni.until(`${standby.name} is the primary`, standby.is("/primary"))
    const promoted = performance.now() - from
    const result = yield* meanwhile
    yield* fault.end(primary, standby)
    yield* patroni.whole
    const whole = performance.now() - from
    yield* after
    const outage = { from, to: performance.now() }
    const [withoutAnswer, withoutDeletion] = [Journal.silence(outage, served), Journal.silence(outage, deletions)]
    const outcome: Outcome = { name: fault.name, promoted, whole, withoutAnswer, withoutDeletion }
    return { result, outcome }
  })

  const underLoad = Effect.fnUntraced(function* ({ cluster: { nodes }, journal }: Lab.Lab) {
    const [node] = nodes
    if (node === undefined) return yield* Effect.die("there is no node")
    /** Waits until the load has had an answer, and a deletion, that it asked for from now on. */
    const served = Effect.suspend(() => {
      const from = performance.now()
      const isThere = (spans: ReadonlyArray<Journal.Span>) => spans.some(({ begun }) => begun > from)
      return patroni.until(
        "the load is served again",
        Effect.sync(() => isThere(journal.served) && isThere(journal.deletions))
      )
    })
    const outcomes: Array<Outcome> = []
    const sufferAll = Effect.fnUntraced(function* <A>(fault: Faults.Fault, meanwhile: Effect.Effect<A, unknown>) {
      const { outcome, result } = yield* suffer(journal, fault, meanwhile, served)
      outcomes.push(outcome)
      return result
    })

    yield* served
    const synchronous = few("9")
    const withSynchronousMode = yield* sufferAll(
      Faults.killed(synchronous.remove(node.url, true)),
      Effect.andThen(
        served,
        Effect.suspend(() => synchronous.check(node.url))
      )
    )

    yield* sufferAll(Faults.frozen, served)
    yield* sufferAll(Faults.partitioned, served)
    yield* sufferAll(Faults.switchedOver(patroni), served)

    // a node that no HAProxy keeps from a primary without a lease
    const { primary } = yield* patroni.roles
    const direct = yield* Child.serve("--database", `${primary.database}?target_session_attrs=read-write`)
    const busy = yield* Effect.forkChild(
      Effect.forever(Effect.delay(Http.read(direct.url, keyId("e", 0)), "200 millis"))
    )
    const unfenced = few("e")
    const withoutFencing = yield* sufferAll(
      Faults.orphaned,
      Effect.gen(function* () {
        yield* unfenced.remove(node.url, false)
        return {
          fenced: yield* Effect.forEach(nodes, ({ url }) => unfenced.check(url)),
          direct: yield* unfenced.check(direct.url)
        }
      })
    )
    yield* Fiber.interrupt(busy)
    return { node, outcomes, withSynchronousMode, withoutFencing }
  })
  const { lab, result, ...rest } = yield* Lab.run(plan, underLoad)
  const { node, ...results } = result

  yield* patroni.control("edit-config", "--force", "-s", "synchronous_mode=false")
  yield* patroni.until(
    "commits wait for no standby",
    Effect.map(Effect.orDie(standbyNames(patroni.database)), (names) => names === "")
  )
  yield* patroni.whole
  const asynchronous = few("f")
  const { result: withoutSynchronousMode } = yield* suffer(
    lab.journal,
    Faults.killed(asynchronous.remove(node.url, true)),
    Effect.suspend(() => asynchronous.check(node.url))
  )
  return { ...rest, ...results, withoutSynchronousMode }
})
