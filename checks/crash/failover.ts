/**
 * `npm run check failover`: three nodes over PostgreSQL with a synchronous standby under Patroni and etcd, behind HAProxy,
 * under a load of the client, while the primary is killed, frozen, partitioned and switched over; and what is lost without
 * synchronous mode, and without fencing. It catches a configuration that acknowledges what a failover loses. `--seed N` draws the same races.
 */
import { Effect, Fiber } from "effect"
import { parseArgs } from "node:util"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import { keyId, organizationId } from "../fixtures/Tenants.ts"
import * as Child from "../fixtures/Child.ts"
import * as Program from "../fixtures/Program.ts"
import * as Sql from "../fixtures/Sql.ts"
import * as Balancer from "./Balancer.ts"
import * as Client from "./Client.ts"
import * as Journal from "./Journal.ts"
import * as Lab from "./lab.ts"
import * as Patroni from "./Patroni.ts"

interface Fault {
  readonly name: string
  readonly prepare?: (primary: Patroni.Machine) => Effect.Effect<unknown>
  readonly begin: (primary: Patroni.Machine, standby: Patroni.Machine) => Effect.Effect<unknown, unknown>
  readonly end: (primary: Patroni.Machine, standby: Patroni.Machine) => Effect.Effect<unknown>
}

const each = (effects: ReadonlyArray<Effect.Effect<void>>) => Effect.all(effects, { discard: true })

/** Between a machine and all others of the database and etcd; nodes and HAProxy still reach it. */
const links = (primary: Patroni.Machine, standby: Patroni.Machine) => [primary.etcd, ...primary.ways, ...standby.ways]

const frozen: Fault = {
  name: "SIGSTOP of both, then SIGCONT and a new Patroni",
  begin: ({ freeze }) => freeze,
  end: ({ thaw }) => thaw
}

const partitioned: Fault = {
  name: "partition from etcd and the standby",
  begin: (primary, standby) => each(links(primary, standby).map(({ block }) => block)),
  end: (primary, standby) => each(links(primary, standby).map(({ unblock }) => unblock))
}

const orphaned: Fault = {
  name: "kill -9 of its Patroni alone",
  begin: ({ killPatroni }) => killPatroni,
  end: ({ start }) => start
}

const switchedOver = ({ control }: Patroni.Patroni): Fault => ({
  name: "patronictl switchover",
  begin: (primary, standby) => control("switchover", "--leader", primary.name, "--candidate", standby.name, "--force"),
  end: () => Effect.void
})

/** The primary is killed while its standby receives nothing, after something was tried in that state. */
const killed = (meanwhile: Effect.Effect<void>): Fault => ({
  name: "replication hangs, then kill -9 of both",
  prepare: ({ ways }) => Effect.andThen(each(ways.map(({ block }) => block)), meanwhile),
  begin: ({ kill }) => kill,
  // not before: what is under way would arrive after all
  end: ({ start, ways }) => Effect.andThen(each(ways.map(({ unblock }) => unblock)), start)
})

const { values } = parseArgs({ options: { seed: { type: "string", default: String(Date.now() % 1_000_000) } } })
const { seed } = values

const races = 1000

const perVariant = 10

const statusOf = (url: string, key: ApiKeyId, method = "GET", path = "/v1/organizations") =>
  Effect.promise(async () => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Basic ${btoa(`${key}:secret`)}` }
    })
    await response.text()
    return response.status
  })

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
            const status = yield* statusOf(
              url,
              keyId(tenant, 0),
              "DELETE",
              `/v1/organizations/${organizationId(tenant)}/keys/${key}`
            )
            if (status === 200) return void acknowledged.push(key)
            // an attempt before this one was applied after all
            if (status === 404 || isOnce) return
            yield* Effect.sleep("200 millis")
          }
        }),
        { concurrency: perVariant, discard: true }
      ),
    check: Effect.fnUntraced(function* (url: string) {
      const statuses = yield* Effect.forEach(acknowledged, (key) => statusUnlessAway(url, key), {
        concurrency: perVariant
      })
      return { acknowledged: acknowledged.length, letIn: statuses.filter((status) => status === 200).length }
    })
  }
}

/** The status of a read, once it is another one than 503. */
const statusUnlessAway = Effect.fnUntraced(function* (url: string, key: ApiKeyId) {
  for (;;) {
    const status = yield* statusOf(url, key)
    if (status !== 503) return status
    yield* Effect.sleep("200 millis")
  }
})

const row = (name: string, ...cells: ReadonlyArray<string | number>) =>
  console.log(name.padEnd(52), ...cells.map((cell) => String(cell).padStart(12)))

const test = Effect.gen(function* () {
  const patroni = yield* Patroni.start
  const others = Client.document(["e", "f", "9"], perVariant + 1)
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
    fault: Fault,
    meanwhile: Effect.Effect<A, unknown>,
    after: Effect.Effect<void, unknown> = Effect.void
  ) {
    console.error(fault.name)
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
    return { result, outcome: [fault.name, promoted, whole, withoutAnswer, withoutDeletion] as const }
  })

  const underLoad = Effect.fnUntraced(function* ({ cluster: { nodes }, journal }: Lab.Lab) {
    const [node] = nodes
    if (node === undefined) return yield* Effect.die("there is no node")
    /** Waits until the load has had a response, and a deletion, that it asked for from now on. */
    const served = Effect.suspend(() => {
      const from = performance.now()
      const isThere = (spans: ReadonlyArray<Journal.Span>) => spans.some(({ begun }) => begun > from)
      return patroni.until(
        "the load is served again",
        Effect.sync(() => isThere(journal.served) && isThere(journal.deletions))
      )
    })
    /** Of each fault, in milliseconds. */
    const outcomes: Array<readonly [name: string, ...millis: ReadonlyArray<number>]> = []
    const sufferAll = Effect.fnUntraced(function* <A>(fault: Fault, meanwhile: Effect.Effect<A, unknown>) {
      const { outcome, result } = yield* suffer(journal, fault, meanwhile, served)
      outcomes.push(outcome)
      return result
    })

    yield* served
    const synchronous = few("9")
    const withSynchronousMode = yield* sufferAll(
      killed(synchronous.remove(node.url, true)),
      Effect.andThen(
        served,
        Effect.suspend(() => synchronous.check(node.url))
      )
    )

    yield* sufferAll(frozen, served)
    yield* sufferAll(partitioned, served)
    yield* sufferAll(switchedOver(patroni), served)

    // a node that no HAProxy keeps from a primary without a lease
    const { primary } = yield* patroni.roles
    const direct = yield* Child.serve("--database", `${primary.database}?target_session_attrs=read-write`)
    const busy = yield* Effect.forkChild(
      Effect.forever(Effect.delay(statusOf(direct.url, keyId("e", 0)), "200 millis"))
    )
    const unfenced = few("e")
    const withoutFencing = yield* sufferAll(
      orphaned,
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
  const { lab, result, ...report } = yield* Lab.run(plan, underLoad)
  const { node, outcomes, withSynchronousMode, withoutFencing } = result

  yield* patroni.control("edit-config", "--force", "-s", "synchronous_mode=false")
  yield* patroni.until(
    "commits wait for no standby",
    Effect.map(Sql.value(patroni.database, "SHOW synchronous_standby_names"), (names) => names === "")
  )
  yield* patroni.whole
  const asynchronous = few("f")
  const { result: withoutSynchronousMode } = yield* suffer(
    lab.journal,
    killed(asynchronous.remove(node.url, true)),
    Effect.suspend(() => asynchronous.check(node.url))
  )

  console.log(`three nodes behind ${Balancer.nginx.version}, over ${Patroni.versions().join(", ")}`)
  row("", "new primary", "whole again", "no response", "no deletion")
  for (const [name, ...all] of outcomes) row(name, ...all.map((millis) => `${(millis / 1000).toFixed(1)} s`))
  const { direct, fenced } = withoutFencing
  const letIn = fenced.reduce((sum, { letIn }) => sum + letIn, 0)
  row("", "acknowledged", "let in later")
  row("Patroni killed, nodes behind HAProxy", direct.acknowledged, letIn)
  row("without fencing: a node connected to the old primary", direct.acknowledged, direct.letIn)
  row("replication hangs, then kill -9", withSynchronousMode.acknowledged, withSynchronousMode.letIn)
  row("without synchronous mode: the same", withoutSynchronousMode.acknowledged, withoutSynchronousMode.letIn)
  Lab.conclude("the failovers", report, [
    ...(letIn > 0 ? ["a key was let in by a node behind HAProxy after its deletion was acknowledged"] : []),
    ...(withSynchronousMode.letIn > 0 ? ["synchronous mode lost a deletion"] : []),
    ...(direct.letIn === 0 ? ["nothing went wrong without fencing: the documents say otherwise"] : []),
    ...(withoutSynchronousMode.letIn === 0
      ? ["nothing was lost without synchronous mode: the documents say otherwise"]
      : [])
  ])
}).pipe(Effect.scoped, Effect.timeout("12 minutes"))

if (Program.isThere(...Patroni.programs, "nginx")) await Effect.runPromise(test)
