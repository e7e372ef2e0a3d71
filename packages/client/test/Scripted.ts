import { Clock, Context, Effect, Exit, Layer, Logger, Option } from "effect"
import { HttpClient } from "effect/http"
import { Credentials, Log, Metrics } from "@cloud-management/client"
import { CloudManagement } from "@cloud-management/core"
import { Faults, Fixtures, InMemoryTransport, VirtualTime } from "@cloud-management/testing"
import { calls, ending, noting, type AnyFailure, type Client, type Options } from "../../../checks/fixtures/Scripted.ts"

/** A client in memory, whose requests meet one fault after the other; `cuts` befall what comes back all the same. */
export const connect = Effect.fnUntraced(function* (
  faults: Iterable<Faults.Fault>,
  options: Options = {},
  cuts: Iterable<Faults.Fault> = []
) {
  /** When each request was sent, in milliseconds of the clock that only goes forward. */
  const sent: Array<number> = []
  const served: Array<string> = []
  const context = yield* CloudManagement.layer({
    baseUrl: "https://in-memory",
    credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret),
    log: Log.effect,
    metrics: Metrics.effect,
    ...options
  }).pipe(
    Layer.updateService(
      HttpClient.HttpClient,
      HttpClient.tapRequest(() =>
        Clock.clockWith((clock) =>
          Effect.sync(() => sent.push(Number(clock.monotonicTimeNanosUnsafe() / 1000n) / 1000))
        )
      )
    ),
    Layer.provide(InMemoryTransport.layerService.pipe(noting(served), Faults.inject(faults), Faults.inject(cuts))),
    Layer.orDie,
    Layer.build
  )
  return { cloud: Context.get(context, CloudManagement.CloudManagement), sent, served }
})

export function* always(fault: Faults.Fault): Generator<Faults.Fault> {
  for (;;) yield fault
}

export const refusal = (status: number, headers: Readonly<Record<string, string>> = {}): Faults.Fault =>
  Faults.Fault.Status({
    status,
    headers,
    // 304 has no body (RFC 9110 §15.4.5)
    ...(status !== 304 && { body: JSON.stringify({ status, error: "CODE: text", requestId: "req-1" }) })
  })

export const play = Effect.fnUntraced(function* (
  faults: Iterable<Faults.Fault>,
  options: Options & {
    readonly call?: (cloud: Client) => Effect.Effect<unknown, AnyFailure>
    readonly cuts?: Iterable<Faults.Fault>
  } = {}
) {
  const { call = calls["organizations.list"], cuts, ...rest } = options
  const timeline = VirtualTime.make()
  const scripted = yield* connect(faults, rest, cuts)
  const { elapsed, exit } = yield* Effect.provide(timeline.run(call(scripted.cloud)), Logger.layer([]))
  return {
    ...scripted,
    ending: ending(exit),
    error: Option.getOrUndefined(Exit.findErrorOption(exit)),
    elapsed,
    gaps: scripted.sent.slice(1).map((at, i) => at - (scripted.sent[i] ?? 0))
  }
})
