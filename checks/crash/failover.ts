/** Also what is lost without synchronous mode, and without fencing. `--seed N` draws the same races. */
import { Effect, Fiber, Schedule } from "effect"
import { parseArgs } from "node:util"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import { Child, keyId, organizationId, Program } from "../fixtures/index.ts"
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

type Way = Patroni.Machine["etcd"]
const block = (ways: ReadonlyArray<Way>) => Effect.all(ways.map(({ block }) => block))
const unblock = (ways: ReadonlyArray<Way>) => Effect.all(ways.map(({ unblock }) => unblock))

const frozen: Fault = {
  name: "SIGSTOP of both, then SIGCONT and a new Patroni",
  begin: ({ freeze }) => freeze,
  end: ({ thaw }) => thaw
}

/** Of a machine from all others of the database and etcd; nodes and HAProxy still reach it. */
const partitioned: Fault = {
  name: "partition from etcd and the standby",
  begin: (primary, standby) => block([primary.etcd, ...primary.ways, ...standby.ways]),
  end: (primary, standby) => unblock([primary.etcd, ...primary.ways, ...standby.ways])
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
  prepare: ({ ways }) => Effect.andThen(block(ways), meanwhile),
  begin: ({ kill }) => kill,
  // not before: what is under way would arrive after all
  end: ({ start, ways }) => Effect.andThen(unblock(ways), start)
})

const { values } = parseArgs({ options: { seed: { type: "string", default: String(Date.now() % 1_000_000) } } })

const statusOf = (url: string, key: ApiKeyId, method = "GET", path = "/v1/organizations") =>
  Effect.promise(async () => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Basic ${btoa(`${key}:secret`)}` }
    })
    await response.text()
    return response.status
  })
const again = Schedule.spaced("200 millis")

const perVariant = 10
const all = { concurrency: perVariant }

const few = (tenant: string) => {
  const acknowledged: Array<ApiKeyId> = []
  return {
    remove: (url: string, isOnce: boolean) =>
      Effect.forEach(
        Array.from({ length: perVariant }, (_, n) => keyId(tenant, n + 1)),
        (key) => {
          const path = `/v1/organizations/${organizationId(tenant)}/keys/${key}`
          // 404: an attempt before this one was applied after all
          return Effect.repeat(statusOf(url, keyId(tenant, 0), "DELETE", path), {
            until: (status) => status === 200 || status === 404 || isOnce,
            schedule: again
          }).pipe(Effect.map((status) => void (status === 200 && acknowledged.push(key))))
        },
        { ...all, discard: true }
      ),
    /** How many deletions were acknowledged, and how many of their keys are let in, once a read has no 503. */
    check: (url: string) =>
      Effect.map(
        Effect.forEach(
          acknowledged,
          (key) => Effect.repeat(statusOf(url, key), { until: (status) => status !== 503, schedule: again }),
          all
        ),
        (statuses) => [acknowledged.length, statuses.filter((status) => status === 200).length] as const
      )
  }
}

const row = (name: string, ...cells: ReadonlyArray<string | number>) =>
  console.log(name.padEnd(52), ...cells.map((cell) => String(cell).padStart(12)))

const test = Effect.gen(function* () {
  const patroni = yield* Patroni.start
  const plan: Lab.Plan = {
    seed: values.seed,
    database: patroni.database,
    nodes: 3,
    isBalanced: true,
    races: 1000,
    atOnce: 4,
    pause: 1000,
    asks: true,
    others: Client.document(["e", "f", "9"], perVariant + 1)
  }

  const outcomes: Array<readonly [name: string, ...millis: ReadonlyArray<number>]> = []
  const suffer = Effect.fnUntraced(function* <A>(
    fault: Fault,
    meanwhile: Effect.Effect<A, unknown>,
    load?: { readonly journal: Journal.Journal; readonly served: Effect.Effect<void, unknown> }
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
    if (load === undefined) return result
    yield* load.served
    const outage = { begun: from, ended: performance.now() }
    const silences = [load.journal.served, load.journal.deletions].map((spans) => Journal.silence(outage, spans))
    outcomes.push([fault.name, promoted, whole, ...silences])
    return result
  })

  const underLoad = Effect.fnUntraced(function* ({ cluster: { nodes }, journal }: Lab.Lab) {
    const [node] = nodes
    if (node === undefined) return yield* Effect.die("there is no node")
    /** Waits until the load has had a response, and a deletion, that it asked for from now on. */
    const served = Effect.suspend(() => {
      const from = performance.now()
      const isThere = (spans: Journal.Journal["served"]) => spans.some(({ begun }) => begun > from)
      return patroni.until(
        "the load is served again",
        Effect.sync(() => isThere(journal.served) && isThere(journal.deletions))
      )
    })
    const load = { journal, served }

    yield* served
    const few9 = few("9")
    const synchronous = yield* suffer(
      killed(few9.remove(node.url, true)),
      Effect.andThen(
        served,
        Effect.suspend(() => few9.check(node.url))
      ),
      load
    )

    yield* suffer(frozen, served, load)
    yield* suffer(partitioned, served, load)
    yield* suffer(switchedOver(patroni), served, load)

    // a node that no HAProxy keeps from a primary without a lease
    const { primary } = yield* patroni.roles
    const direct = yield* Child.serve("--database", `${primary.database}?target_session_attrs=read-write`)
    const busy = yield* Effect.forkChild(Effect.repeat(statusOf(direct.url, keyId("e", 0)), again))
    const fewE = few("e")
    const [fenced, unfenced] = yield* suffer(
      orphaned,
      Effect.gen(function* () {
        yield* fewE.remove(node.url, false)
        return [yield* Effect.forEach(nodes, ({ url }) => fewE.check(url)), yield* fewE.check(direct.url)] as const
      }),
      load
    )
    yield* Fiber.interrupt(busy)
    return { node, synchronous, unfenced, letIn: fenced.reduce((sum, [, letIn]) => sum + letIn, 0) }
  })
  const { result, ...report } = yield* Lab.run(plan, underLoad)
  const { letIn, node, synchronous, unfenced } = result

  yield* patroni.control("edit-config", "--force", "-s", "synchronous_mode=false")
  yield* patroni.until(
    "commits wait for no standby",
    Effect.map(Sql.value(patroni.database, "SHOW synchronous_standby_names"), (names) => names === "")
  )
  yield* patroni.whole
  const fewF = few("f")
  const asynchronous = yield* suffer(
    killed(fewF.remove(node.url, true)),
    Effect.suspend(() => fewF.check(node.url))
  )

  console.log(`three nodes behind ${Balancer.nginx.version()}, over ${Patroni.versions().join(", ")}`)
  row("", "new primary", "whole again", "no response", "no deletion")
  for (const [name, ...all] of outcomes) row(name, ...all.map((millis) => `${(millis / 1000).toFixed(1)} s`))
  row("", "acknowledged", "let in later")
  row("Patroni killed, nodes behind HAProxy", unfenced[0], letIn)
  row("without fencing: a node connected to the old primary", ...unfenced)
  row("replication hangs, then kill -9", ...synchronous)
  row("without synchronous mode: the same", ...asynchronous)
  const problems = [
    letIn > 0 && "a key was let in by a node behind HAProxy after its deletion was acknowledged",
    synchronous[1] > 0 && "synchronous mode lost a deletion",
    unfenced[1] === 0 && "nothing went wrong without fencing: the documents say otherwise",
    asynchronous[1] === 0 && "nothing was lost without synchronous mode: the documents say otherwise"
  ]
  Lab.conclude(
    "the failovers",
    report,
    problems.filter((problem) => problem !== false)
  )
}).pipe(Effect.scoped, Effect.timeout("12 minutes"))

if (Program.isThere(...Patroni.programs, "nginx")) await Effect.runPromise(test)
