import { Clock, Context, Duration, Effect, Exit, Latch, Layer, Logger, Random, Scope } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { FetchTransport } from "@cloud-management/browser"
import { CloudManagement } from "@cloud-management/core"
import { Credentials, Deadline, Log, Metrics } from "@cloud-management/client"
import { NodeTransport } from "@cloud-management/node"
import { HttpHost } from "@cloud-management/service/node"
import { Fixtures, VirtualTime } from "@cloud-management/testing"
import { allCalls, allOperations, noting, type Options } from "../fixtures/Scripted.ts"
import { expected, type Trial, watch } from "./verdict.ts"
import { expect, it } from "../fixtures/vitest.ts"
import { type Fault, table } from "./table.ts"
import * as Proxy from "./proxy.ts"

/** The transports, and whether their connections end with their layer: the platform's `fetch` keeps its own. */
const transports = {
  // nothing but the end of the layer ends a connection that is idle
  undici: { layer: Layer.orDie(NodeTransport.layerOptions({ keepAlive: "1 hour" })), ownsConnections: true },
  fetch: { layer: FetchTransport.layer, ownsConnections: false }
} as const
type Transport = keyof typeof transports

interface Plan {
  readonly wire: Fault
  /** Whether an attempt, counted from 1, meets the fault. */
  readonly isFaulty: (attempt: number) => boolean
  readonly options?: Options
  readonly onAttempt?: (attempt: number) => void
  readonly onSilent?: () => void
}

const connect = Effect.fnUntraced(function* (transport: Transport, plan: Plan) {
  const { onAttempt = () => {}, onSilent = () => {}, wire } = plan
  const served: Array<string> = []
  const host = yield* Layer.build(Layer.orDie(HttpHost.layer().pipe(noting(served))))
  let head = Promise.withResolvers<void>()
  const { url } = Context.get(host, HttpHost.HttpHost)
  const proxy = yield* Proxy.make(url, { headRead: () => head.promise, onSilent })

  let warm = wire.kept === true
  let attempts = 0
  let due = 0
  const { layer, ownsConnections } = transports[transport]
  const scope = yield* Scope.make()
  const context = yield* CloudManagement.layer({
    log: Log.effect,
    metrics: Metrics.effect,
    ...plan.options,
    baseUrl: proxy.url,
    credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
  }).pipe(
    Layer.updateService(HttpClient.HttpClient, (client) =>
      client.pipe(
        HttpClient.mapRequest((request) => {
          if (warm) return request
          attempts++
          head = Promise.withResolvers()
          onAttempt(attempts)
          const faulty = plan.isFaulty(attempts)
          proxy.behave(faulty ? wire : {})
          if (!faulty || (wire.to === undefined && wire.connection === undefined)) due++
          return faulty && wire.to !== undefined
            ? HttpClientRequest.setUrl(request, request.url.replace(proxy.url, wire.to(proxy.places)))
            : request
        }),
        HttpClient.tap(() => Effect.sync(() => head.resolve()))
      )
    ),
    Layer.provide(layer),
    Layer.orDie,
    Layer.buildWithScope(scope)
  )
  const cloud = Context.get(context, CloudManagement.CloudManagement)
  if (warm) yield* Effect.orDie(cloud.organizations.list())
  warm = false
  const before = { served: served.length, requests: proxy.requests() }

  return {
    cloud,
    attempts: () => attempts,
    served: () => served.length - before.served,
    /** Ends the transport, and tells in words what should not be. */
    close: Effect.fnUntraced(function* (lingers: boolean) {
      const leftovers: Array<string> = []
      const note = (count: number, what: string) => {
        if (count !== 0) leftovers.push(`${count} ${what}`)
      }
      if (!lingers) note(yield* proxy.brokenLeft, "broken connections left open by the call")
      yield* Scope.close(scope, Exit.void)
      if (ownsConnections) note(yield* proxy.left, "connections left open by the transport")
      note(proxy.strayed(), "connections to elsewhere")
      note(proxy.requests() - before.requests - due, "requests more on the wire than the client sent")
      return leftovers
    })
  }
})

/** How long core waits for the end of an attempt that it has interrupted. It passes only over a transport that does not end. */
const graceMillis = 1000
const attemptMillis = Duration.toMillis(Duration.fromInputUnsafe(Deadline.standard.attempt))

/**
 * A clock over real sockets on which nothing is waited for: a wait is over at once, and a deadline passes when nothing more
 * will come. Nothing else moves it, so that what is seen does not depend on how busy the machine is.
 */
const makeClock = Effect.map(Effect.service(Clock.Clock), (live) => {
  const silence = Latch.makeUnsafe(false)
  const time = VirtualTime.make({ start: live.currentTimeMillisUnsafe() })
  let timers = 0
  const [begin, end] = [Effect.sync(() => timers++), Effect.sync(() => timers--)]
  const clock: Clock.Clock = Object.assign(time.clock, {
    sleep: (duration: Duration.Duration) => {
      const millis = Duration.toMillis(duration)
      const isOver = millis === attemptMillis ? silence.await : millis === graceMillis ? Effect.never : Effect.void
      const passed = Effect.map(isOver, () => time.goTo(time.now() + millis))
      return Effect.acquireUseRelease(
        begin,
        () => passed,
        () => end
      )
    }
  })
  return { ...time, clock, silence, timers: () => timers }
})

const run = Effect.fnUntraced(function* (transport: Transport, trial: Trial) {
  const { frequency, operation, row } = trial
  const time = yield* makeClock
  const { attempts, close, cloud, served } = yield* connect(transport, {
    wire: row.wire,
    isFaulty: (attempt) => frequency === "always" || attempt === 1,
    onAttempt: (attempt) => {
      time.silence.closeUnsafe()
      if (attempt === 1) time.jump(row.jump ?? 0)
    },
    onSilent: () => time.silence.openUnsafe()
  })
  const end = yield* allCalls[operation](cloud).pipe(
    Effect.provideService(Clock.Clock, time.clock),
    Random.withSeed(`${row.fault} ${operation} ${frequency}`),
    Effect.exit,
    // in real time: a call that hangs is wrong, and must not hang the table
    Effect.timeoutOrElse({ duration: "1 minute", orElse: () => Effect.succeed(Exit.die("the call hangs")) }),
    watch
  )
  const timers = time.timers() === 0 ? [] : [`${time.timers()} timers left`]
  const leftovers = [...timers, ...(yield* close(row.lingers === transport))]
  const right = expected(trial, row.deviation?.[transport] ?? row.except?.[operation] ?? row.expected)
  const [least, most] = right.elapsed
  const isInTime = least - 0.001 <= time.now() && time.now() <= most + 0.001
  const elapsed = isInTime ? right.elapsed : [time.now(), time.now()]
  const seen = { operation, frequency, ...end, attempts: attempts(), served: served(), elapsed, leftovers }
  return { right, seen }
})

for (const transport of ["undici", "fetch"] as const) {
  it.live.each(table)(`${transport} over sockets: $fault`, function* (row) {
    const trials = allOperations.flatMap((operation) =>
      (["once", "always"] as const).map((frequency): Trial => ({ row, operation, frequency }))
    )
    const all = Effect.forEach(trials, (trial) => Effect.scoped(run(transport, trial)), { concurrency: 3 })
    const ended = yield* Effect.provide(all, Logger.layer([]))
    expect(ended.map(({ seen }) => seen)).toEqual(ended.map(({ right }) => right))
  })
}

it.live("undici closes a connection that is being made with its layer", function* () {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { close, cloud } = yield* connect("undici", {
    wire: { to: ({ tls }) => tls, connection: () => resolve() },
    isFaulty: () => true,
    options: { deadline: { attempt: Infinity, total: Infinity } }
  })
  yield* Effect.forkChild(cloud.organizations.list())
  yield* Effect.promise(() => promise)
  // the call itself goes on: what it leaves is not asked for
  expect(yield* close(true)).toEqual([])
})
