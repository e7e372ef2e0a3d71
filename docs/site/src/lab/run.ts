import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Tracer from "effect/Tracer"
import * as HttpClient from "effect/http/HttpClient"
import type * as Client from "@cloud-management/client/Client"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/client/Credentials"
import * as Faults from "@cloud-management/testing/Faults"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import * as VirtualTime from "@cloud-management/testing/VirtualTime"
import * as Calls from "./calls.ts"
import { hour } from "./field.ts"
import * as Policy from "./policy.ts"
import { kinds, type Scenario, type SideName, type Source } from "./scenario.ts"
import type { State } from "./state.ts"
import { outage, queue, way } from "./trouble.ts"
import * as Words from "./words.ts"

const faultsOf = (source: Source): Iterable<Faults.Fault> => {
  if (source._tag === "Script") return source.faults.map(([kind, value]) => kinds[kind][2](value))
  return source._tag === "Outage" ? outage(source.trouble) : queue(source.trouble)
}

/** Keys that can be deleted, one by each call. */
const keys = [Fixtures.backupKey, ...Object.values(Fixtures.spareKeys)]

type Ask = (cloud: CloudManagement.CloudManagementClient, index: number) => Effect.Effect<unknown, unknown>
const asks: Readonly<Record<Scenario["ask"], Ask>> = {
  "list organizations": (cloud) => cloud.organizations.list(),
  "read an endpoint": (cloud) => cloud.reversePrivateEndpoints.get(Fixtures.endpoint),
  "delete a key": (cloud, index) =>
    cloud.apiKeys.delete({ organizationId: Fixtures.acme, keyId: (keys[index] ?? Fixtures.backupKey).id })
}

const credentials = Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)

/** Draws nothing: each backoff is the longest. */
const longest = { nextIntUnsafe: () => 0, nextDoubleUnsafe: () => 1 }

/**
 * Makes the calls of a scenario under the policy of a side, over the service in memory with the scenario's faults. Each client
 * also has the options `report`.
 */
export const perform = (state: State, side: SideName, report: () => Partial<Client.Options>) => {
  const { ask, calls, every = 0, faults, rateLimit, seed, [side]: policy } = state
  const transport = InMemoryTransport.layer(Fixtures.seed, { rateLimit }).pipe(
    Faults.inject(faultsOf(faults)),
    Faults.inject(way())
  )
  const make = Effect.suspend(() =>
    CloudManagement.make({ baseUrl: "http://in-memory", credentials, ...Policy.toOptions(policy), ...report() })
  )
  return Effect.gen(function* () {
    const client = policy.clients === "one" ? yield* Effect.cached(make) : make
    yield* Effect.forEach(
      Array.from({ length: calls }).keys(),
      (index) =>
        client.pipe(
          Effect.flatMap((cloud) => asks[ask](cloud, index)),
          Effect.delay(index * every),
          // its error is in its span
          Effect.ignore
        ),
      { concurrency: "unbounded", discard: true }
    )
  }).pipe(
    Effect.provide(transport),
    Effect.scoped,
    policy.jitter === "full" ? Random.withSeed(seed) : Effect.provideService(Random.Random, longest)
  )
}

const { port1, port2 } = new MessageChannel()
port1.start()
/** Lets promises of the host settle, and the page react. */
const turn = () =>
  new Promise((resolve) => {
    port1.addEventListener("message", resolve, { once: true })
    port2.postMessage(undefined)
  })

export interface Run {
  readonly name: SideName
  readonly policy: Policy.Policy
  readonly calls: ReadonlyArray<Calls.Call>
  readonly verdict: string
  /** Why the run could not go on, and faults that did not happen. */
  readonly notes: ReadonlyArray<string>
}

/**
 * Runs the shipped client against the shipped service on virtual time, and reads what it reports. The same state gives the
 * same calls. It stops after `most` attempts, and after an hour of virtual time.
 *
 * Why not on `TestClock`: docs/decisions/0022-fault-lab.md.
 */
export const run = (state: State, name: SideName, most = 20_000): Effect.Effect<Run> =>
  Effect.promise(async (signal) => {
    let attempts = 0
    const { faults, [name]: policy } = state
    // promises of the host read the bodies of faults; without them, it only has to stay responsive
    const jumps = faults._tag === "Outage" || (faults._tag === "Queue" && faults.trouble.longest === hour) ? 200 : 1
    const time = VirtualTime.make()
    const spans: Array<Tracer.NativeSpan> = []
    const reports: Array<Calls.Report> = []
    const notes: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        if (span.kind === "client") attempts++
        return span
      }
    })
    const program = perform(state, name, () => {
      const budget: Array<Calls.Budget[number]> = []
      return {
        log: (event) =>
          Effect.withFiber((fiber) => {
            const [at, span] = [time.now(), Context.getOrUndefined(fiber.context, Tracer.ParentSpan)]
            if ("tokens" in event) budget.push({ at, tokens: event.tokens })
            reports.push({ event, at, span, budget, tokens: budget.at(-1)?.tokens })
            return Effect.void
          })
      }
    })
    const logger = Logger.make(({ message }) => void notes.push(`${String(message)}.`))
    const context = Context.make(Clock.Clock, time.clock).pipe(
      Context.add(Tracer.Tracer, tracer),
      Context.add(HttpClient.TracerPropagationEnabled, false),
      Context.add(Logger.CurrentLoggers, new Set([logger]))
    )
    const fiber = Effect.runForkWith(context)(program, { scheduler: time.scheduler })
    try {
      for (let jump = 0; ; jump++) {
        do {
          time.runReady()
          if (jump % jumps === 0) await turn()
          signal.throwIfAborted()
        } while (time.isReady())
        if (time.next() > hour || attempts > most) break
        time.fire()
      }
      const exit = fiber.pollUnsafe()
      if (attempts > most) notes.push(`The run was stopped after ${most} attempts.`)
      else if (exit !== undefined && Exit.isFailure(exit)) notes.push(`${String(Cause.squash(exit.cause))}.`)
      const calls = Calls.read(spans, reports, policy)
      return { name, policy, calls, verdict: Words.verdict(calls, policy), notes }
    } finally {
      fiber.interruptUnsafe()
    }
  })
