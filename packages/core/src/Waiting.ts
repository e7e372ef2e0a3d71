import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import type { CloudError, ClientReason } from "./CloudError.ts"
import * as CloudManagement from "./CloudManagement.ts"
import type * as Operation from "./Operation.ts"
import type { getReversePrivateEndpoint } from "./Operations.ts"
import type { ReversePrivateEndpoint, Status } from "./ReversePrivateEndpoint.ts"

/**
 * The endpoint is in a state from which the wanted one cannot be reached.
 *
 * @category errors
 * @since 0.1.0
 */
export class StatusUnreachable extends Data.TaggedError("StatusUnreachable")<{
  readonly message: string
  readonly wanted: string
  readonly status: string
}> {}

/**
 * The endpoint did not get to the wanted state in time.
 *
 * @category errors
 * @since 0.1.0
 */
export class WaitTimedOut extends Data.TaggedError("WaitTimedOut")<{
  readonly message: string
  readonly wanted: string
  /** The last state that was seen; absent when none was, or one that `Status` does not name. */
  readonly status?: string
  readonly limit: Duration.Duration
}> {}

type Params = Operation.Params<typeof getReversePrivateEndpoint>
type Refusals = Operation.Refusals<typeof getReversePrivateEndpoint>

const dead: ReadonlySet<Status> = new Set(["Failed", "Rejected", "Expired", "Deleting"])
/** The states that an error names. Another could be any text, even the secret. */
const named: ReadonlySet<Status> = new Set([...dead, "Ready", "Unknown", "Provisioning", "PendingAcceptance"])
const isFinal = (status: Status, wanted: Status) => status === "Deleting" || (dead.has(status) && !dead.has(wanted))

/**
 * The endpoint now, and again whenever it differs from what was seen before.
 *
 * **Details**
 *
 * Reads every 5 seconds (`every`), give or take a fifth, so that many watchers do not ask at once. A read that fails
 * for now is made again at the next turn, or when the service asks for it if that is later; any other failure ends the
 * stream at once.
 *
 * **Example** (Printing each status)
 *
 * ```ts
 * import * as Console from "effect/Console"
 * import * as Stream from "effect/Stream"
 * import type * as Operation from "@cloud-management/core/Operation"
 * import type { getReversePrivateEndpoint } from "@cloud-management/core/Operations"
 * import * as Waiting from "@cloud-management/core/Waiting"
 *
 * declare const params: Operation.Params<typeof getReversePrivateEndpoint>
 * const program = Waiting.watch(params).pipe(Stream.runForEach(({ status }) => Console.log(status)))
 * ```
 *
 * @beta As is the read itself.
 * @category repetition
 * @since 0.1.0
 */
export const watch = (
  params: Params,
  options: { readonly every?: Duration.Input } = {}
): Stream.Stream<ReversePrivateEndpoint, CloudError<Refusals | ClientReason>, CloudManagement.CloudManagement> => {
  const every = Duration.toMillis(Duration.fromInputUnsafe(options.every ?? "5 seconds"))
  const pause = (least: number) =>
    Effect.flatMap(Random.nextBetween(0.8, 1.2), (factor) =>
      Effect.sleep(Duration.millis(Math.max(least, every * factor)))
    )
  const read: Effect.Effect<
    ReversePrivateEndpoint,
    CloudError<Refusals | ClientReason>,
    CloudManagement.CloudManagement
  > = Effect.flatMap(CloudManagement.CloudManagement, (cloud) => cloud.reversePrivateEndpoints.get(params)).pipe(
    Effect.catchIf(
      (error) => error.isRetryable,
      ({ reason }) => {
        const asked = "retryAfter" in reason ? reason.retryAfter : undefined
        return Effect.andThen(pause(asked === undefined ? 0 : Duration.toMillis(asked)), read)
      }
    )
  )
  return Stream.unfold(true, (first) =>
    Effect.map(first ? read : Effect.andThen(pause(0), read), (endpoint) => [endpoint, false] as const)
  ).pipe(Stream.changes)
}

/**
 * Waits until the endpoint is in a state, `Ready` by default, and returns it.
 *
 * **Details**
 *
 * Gives up after `deadline`, 10 minutes by default; at once in a state from which the wanted one cannot be reached
 * (`Failed`, `Rejected`, `Expired`, `Deleting`); and at once when the read is refused. `onChange` is run with the
 * endpoint first seen and with each change.
 *
 * **Example** (Waiting up to 5 minutes for Ready)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import type * as Operation from "@cloud-management/core/Operation"
 * import type { getReversePrivateEndpoint } from "@cloud-management/core/Operations"
 * import * as Waiting from "@cloud-management/core/Waiting"
 *
 * declare const params: Operation.Params<typeof getReversePrivateEndpoint>
 * const ready = Waiting.waitUntil(params, {
 *   deadline: "5 minutes",
 *   onChange: ({ status }) => Effect.logInfo(`the endpoint is ${status}`)
 * })
 * ```
 *
 * @beta As is the read itself.
 * @category repetition
 * @since 0.1.0
 */
export const waitUntil = (
  params: Params,
  options: {
    readonly status?: Status
    readonly every?: Duration.Input
    readonly deadline?: Duration.Input
    readonly onChange?: (endpoint: ReversePrivateEndpoint) => Effect.Effect<void>
  } = {}
): Effect.Effect<
  ReversePrivateEndpoint,
  CloudError<Refusals | ClientReason> | StatusUnreachable | WaitTimedOut,
  CloudManagement.CloudManagement
> =>
  Effect.suspend(() => {
    const wanted = options.status ?? "Ready"
    const limit = Duration.fromInputUnsafe(options.deadline ?? "10 minutes")
    let status: string | undefined
    return watch(params, options).pipe(
      Stream.tap((endpoint) => {
        status = endpoint.status !== undefined && named.has(endpoint.status) ? endpoint.status : undefined
        return options.onChange === undefined ? Effect.void : options.onChange(endpoint)
      }),
      Stream.mapEffect((endpoint) =>
        endpoint.status !== undefined && endpoint.status !== wanted && isFinal(endpoint.status, wanted)
          ? Effect.fail(
              new StatusUnreachable({
                message: `the endpoint is ${endpoint.status}, from where it cannot become ${wanted}`,
                wanted,
                status: endpoint.status
              })
            )
          : Effect.succeed(endpoint)
      ),
      Stream.takeUntil((endpoint) => endpoint.status === wanted),
      Stream.runLast,
      // the stream of reads has no end of its own
      Effect.flatMap(Effect.fromOption),
      Effect.catchTag("NoSuchElementError", Effect.die),
      Effect.timeoutOrElse({
        duration: limit,
        orElse: () =>
          Effect.fail(
            new WaitTimedOut({
              message: `the endpoint is ${status ?? "not known"}, and did not become ${wanted} within ${Duration.format(limit)}`,
              wanted,
              ...(status !== undefined && { status }),
              limit
            })
          )
      })
    )
  })
