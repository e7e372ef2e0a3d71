import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
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
import { kinds, latency, type Scenario, type Source } from "./scenario.ts"
import { outage, queue } from "./trouble.ts"

/** Keys that can be deleted, one by each call. */
const keys = [Fixtures.backupKey, ...Object.values(Fixtures.spareKeys)]

/** A sequence that begins anew in each run. */
const again = (make: () => Iterator<Faults.Fault>): Iterable<Faults.Fault> => ({ [Symbol.iterator]: make })

const faultsOf = (source: Source): Iterable<Faults.Fault> => {
  switch (source._tag) {
    case "Script":
      return source.faults.map(([kind, value]) => kinds[kind][3](value))
    case "Outage":
      return again(() => outage({ ...source.node, fault: kinds[source.kind][3](0) }))
    case "Queue":
      return again(() => queue(source.service))
  }
}

function* way(): Generator<Faults.Fault> {
  for (;;) yield Faults.Fault.Delay({ duration: latency })
}

/** Makes a call. */
type Call = (cloud: CloudManagement.CloudManagementClient) => Effect.Effect<unknown, unknown>

/** What the calls of a run go through, and what they are. */
export interface Setup {
  readonly transport: Layer.Layer<HttpClient.HttpClient, { readonly message: string }>
  readonly calls: ReadonlyArray<Call>
  /** Milliseconds between the starts of two calls. */
  readonly every: number
  /** Whether bodies are read with promises of the host, as those of scripted responses are. */
  readonly promises: boolean
}

const callOf = (ask: Scenario["ask"], index: number): Call => {
  switch (ask) {
    case "list organizations":
      return (cloud) => cloud.organizations.list()
    case "read an endpoint":
      return (cloud) => cloud.reversePrivateEndpoints.get(Fixtures.endpoint)
    case "delete a key": {
      const { id } = keys[index % keys.length] ?? Fixtures.backupKey
      return (cloud) => cloud.apiKeys.delete({ organizationId: Fixtures.acme, keyId: id })
    }
  }
}

/** The calls of a scenario, over the service in memory with the scenario's faults. */
export const ofScenario = ({ ask, calls, every, faults, rateLimit }: Scenario): Setup => ({
  transport: InMemoryTransport.layer(Fixtures.seed, { rateLimit }).pipe(
    Faults.inject(faultsOf(faults)),
    Faults.inject(again(way))
  ),
  calls: Array.from({ length: ask === "delete a key" ? Math.min(calls, keys.length) : calls }, (_, index) =>
    callOf(ask, index)
  ),
  every,
  promises:
    faults._tag === "Script" ? faults.faults.length > 0 : faults._tag === "Queue" && faults.service.longest < hour
})

/** What came of a setup under one policy and one seed. */
export interface Run {
  readonly policy: Policy.Policy
  readonly calls: ReadonlyArray<Calls.Call>
  /** Why the run could not go on, and faults that did not happen. */
  readonly notes: ReadonlyArray<string>
}

const messageOf = (cause: Cause.Cause<unknown>) => {
  const problem = Cause.squash(cause)
  return Predicate.isError(problem) ? problem.message : String(problem)
}

const credentials = Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)

/** Draws nothing: each backoff is the longest. */
const without = { nextIntUnsafe: () => 0, nextDoubleUnsafe: () => 1 }

/** Makes the calls of a setup with the clients of a policy, which also have the options `report`, asked for each. */
export const perform = (setup: Setup, policy: Policy.Policy, seed: number, report: () => Partial<Client.Options>) => {
  const program = Effect.gen(function* () {
    const transport = yield* Layer.build(setup.transport)
    const make = Effect.suspend(() =>
      CloudManagement.make({ baseUrl: "http://in-memory", credentials, ...Policy.toOptions(policy), ...report() })
    )
    const client = policy.clients === "one" ? yield* Effect.cached(make) : make
    yield* Effect.forEach(
      setup.calls,
      (call, index) =>
        client.pipe(
          Effect.flatMap(call),
          Effect.provideContext(transport),
          Effect.delay(index * setup.every),
          // it is in the spans
          Effect.catch(() => Effect.void)
        ),
      { concurrency: "unbounded", discard: true }
    )
  })
  return Effect.scoped(
    policy.jitter === "full" ? Random.withSeed(program, seed) : Effect.provideService(program, Random.Random, without)
  )
}

/** Jumps of time between two turns of a host that only has to stay responsive. */
const jumps = 200

/** Lets promises of the host settle, and the page react. */
const turn = () =>
  new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })

/**
 * Runs the shipped client against the shipped service on virtual time, and reads what it reports. The same setup, policy
 * and seed give the same calls. It stops after `most` attempts, and after an hour of virtual time.
 *
 * Not on `TestClock`, which lets the browser in between any two steps of thousands of fibers, with timers that a browser
 * delays by 4 ms each.
 */
export const run = (setup: Setup, policy: Policy.Policy, seed: number, most = 20_000): Effect.Effect<Run> =>
  Effect.promise(async (signal) => {
    let attempts = 0
    const time = VirtualTime.make()
    const reported: Calls.Reported = { spans: [], reports: [] }
    const notes: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        // the service, which runs in the same fibers, reports too
        if (span.kind !== "server") reported.spans.push(span)
        if (span.kind === "client") attempts++
        return span
      }
    })
    const program = perform(setup, policy, seed, () => {
      const budget: Array<Calls.Call["budget"][number]> = []
      return {
        log: (event) =>
          Effect.withFiber((fiber) => {
            const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
            if ("tokens" in event) budget.push({ at: time.now(), tokens: event.tokens })
            reported.reports.push({ span, event, budget, tokens: budget.at(-1)?.tokens })
            return Effect.void
          })
      }
    })
    const context = Context.make(Clock.Clock, time.clock).pipe(
      Context.add(Tracer.Tracer, tracer),
      Context.add(HttpClient.TracerPropagationEnabled, false),
      Context.add(Logger.CurrentLoggers, new Set([Logger.make(({ message }) => void notes.push(String(message)))]))
    )
    const fiber = Effect.runForkWith(context)(program, { scheduler: time.scheduler })
    try {
      for (let jump = 0; ; jump++) {
        time.runReady()
        if (setup.promises || jump % jumps === 0) {
          await turn()
          signal.throwIfAborted()
          if (time.isReady()) continue
        }
        if (time.next() > hour || attempts > most) break
        time.fire()
      }
      const exit = fiber.pollUnsafe()
      if (attempts > most) notes.push(`The run was stopped after ${most} attempts.`)
      else if (exit === undefined) notes.push("Some calls were still under way after an hour.")
      else if (Exit.isFailure(exit)) notes.push(messageOf(exit.cause))
      return { policy, calls: Calls.read(reported, policy), notes }
    } finally {
      fiber.interruptUnsafe()
    }
  })
