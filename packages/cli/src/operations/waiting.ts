import { Clock, Deferred, Duration, Effect } from "effect"
import { CloudManagement } from "@cloud-management/core/CloudManagement"
import { type Operation, Retry } from "@cloud-management/client"
import { getReversePrivateEndpoint } from "@cloud-management/core/Operations"
import { Waiting } from "@cloud-management/core"
import * as Connection from "../connection/Connection.ts"
import * as Failure from "../output/Failure.ts"
import * as Foreign from "../output/foreign.ts"
import * as Format from "../output/Format.ts"
import * as Spinner from "../terminal/spinner.ts"

/** Each status on the way is a line on stderr, and so is each failure after which the wait goes on. */
export const until = Effect.fnUntraced(function* (
  params: Operation.Params<typeof getReversePrivateEndpoint>,
  // what status there can be was checked where it was given
  status: string | undefined,
  pace: { readonly every?: Duration.Duration; readonly deadline?: Duration.Duration }
) {
  const { baseUrl, client } = yield* Connection.open(yield* Connection.settled, {
    // with --wait, --timeout is for the waiting, which repeats what fails
    deadline: {},
    retry: Retry.none
  })
  const report = yield* Format.progress
  const wanted = status ?? "Ready"
  const limit = pace.deadline ?? Duration.minutes(10)
  // nobody sets its clock, as they do the time of day
  const now = Clock.Clock.use((clock) => clock.monotonicTimeNanos)
  const began = yield* now
  const elapsed = Effect.map(now, (now) => Duration.nanos(now - began))
  const whole = (duration: Duration.Duration) => Math.round(Duration.toSeconds(duration))
  const shown = (duration: Duration.Duration) => {
    const seconds = whole(duration)
    return seconds === 0 ? "0s" : Duration.format(Duration.seconds(seconds))
  }
  const onChange = ({ status }: { readonly status?: string | undefined }) =>
    Effect.flatMap(elapsed, (elapsed) =>
      report(
        { progress: { status: status ?? null, elapsedSeconds: whole(elapsed) } },
        `${shown(elapsed)}  ${Foreign.brief(status ?? "no status")}`
      )
    )

  let last = { message: "", elapsed: Duration.zero }
  const onFailure = Effect.fnUntraced(function* (error: Failure.AnyCloudError) {
    const { message, tag } = Failure.fromCloudError(error, { baseUrl })
    const since = yield* elapsed
    const isRecent = Duration.isLessThan(Duration.subtract(since, last.elapsed), Duration.seconds(30))
    if (message === last.message && isRecent) return
    last = { message, elapsed: since }
    const left = Duration.subtract(limit, since)
    const event = { awaited: wanted, elapsedSeconds: whole(since), leftSeconds: whole(left) }
    yield* report(
      { event: { tag: "ReadFailed", reason: tag, message, ...event } },
      `${shown(since)}  ${Foreign.brief(message)}; still waiting for ${Foreign.brief(wanted)}, ${shown(left)} left`
    )
  })
  const lost = yield* Deferred.make<never, Failure.AnyCloudError>()
  const watched = CloudManagement.of({
    ...client,
    reversePrivateEndpoints: {
      get: (params) =>
        client.exchange(getReversePrivateEndpoint, params).pipe(
          Effect.map(({ value }) => value.result),
          Effect.tapError((error) => {
            if (!error.isRetryable) return Effect.void
            // no wait mends that: the host of a mistyped URL does not appear
            const isHopeless = error.reason._tag === "TransportFailed" && error.reason.code === "ENOTFOUND"
            return isHopeless ? Deferred.fail(lost, error) : onFailure(error)
          })
        )
    }
  })
  return yield* Waiting.waitUntil(params, {
    ...pace,
    ...(status !== undefined && { status: Waiting.anyStatus(status) }),
    onChange
  }).pipe(
    Effect.provideService(CloudManagement, watched),
    Effect.raceFirst(Deferred.await(lost)),
    Spinner.during(`waiting up to ${shown(limit)} for the status ${wanted}`),
    Effect.mapError((error) => {
      if (error._tag === "CallError") return Failure.fromCloudError(error, { baseUrl })
      if (error._tag === "StatusUnreachable") return Failure.make("rejected", "Unreachable", error.message)
      const advice =
        error.cause === undefined
          ? "Wait longer with --timeout, or wait for another status with --status."
          : "Run the command without --wait to see what is wrong."
      return Failure.make("transient", error._tag, error.message, advice)
    })
  )
}, Effect.scoped)
