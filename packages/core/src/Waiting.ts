import * as Brand from "effect/Brand"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import type { CallError, ClientReason } from "@cloud-management/client/CallError"
import * as CloudManagement from "./CloudManagement.ts"
import * as OptionRules from "@cloud-management/client/OptionRules"
import type * as Operation from "@cloud-management/client/Operation"
import type { getReversePrivateEndpoint } from "./Operations.ts"
import { type KnownStatus, type ReversePrivateEndpoint, type Status, statuses } from "./ReversePrivateEndpoint.ts"

/** The endpoint is in a state from which the awaited state cannot be reached. */
export class StatusUnreachable extends Data.TaggedError("StatusUnreachable")<{
  readonly message: string
  /** The awaited state; absent if `until` decides. */
  readonly wanted?: string
  readonly status: string
}> {}

/** The awaited state or condition was not reached before the deadline. */
export class WaitTimedOut extends Data.TaggedError("WaitTimedOut")<{
  readonly message: string
  /** The awaited state of an endpoint; absent if `until` decides. */
  readonly wanted?: string
  /** The last state that was read; absent if none was read, or if this version does not know it. */
  readonly status?: string
  readonly limit: Duration.Duration
  /** The error of the last read, if that failed. */
  readonly cause?: unknown
}> {}

type Params = Operation.Params<typeof getReversePrivateEndpoint>
type Refusals = Operation.Refusals<typeof getReversePrivateEndpoint>

/**
 * A state that this version does not know, used on purpose.
 *
 * @see {@link anyStatus} to create one
 */
export type AnyStatus = string & Brand.Brand<"@cloud-management/core/Waiting/AnyStatus">

/**
 * Lets {@link waitUntil} wait for a state that this version does not know.
 *
 * **Details**
 *
 * Without it, an unknown state does not compile, because a misspelt state would never be reached.
 */
export const anyStatus: (status: string) => AnyStatus = Brand.nominal<AnyStatus>()

const dead: ReadonlySet<Status> = new Set(["Failed", "Rejected", "Expired", "Deleting"])
/** The states that an error may name. Any other could be arbitrary text, even the secret. */
const named: ReadonlySet<Status> = new Set(statuses)
const isFinal = (status: Status, wanted: Status) => status === "Deleting" || (dead.has(status) && !dead.has(wanted))

interface Pace {
  /** Time between two reads, ± 20 %, so that many watchers do not read at once. Default: 5 seconds. */
  readonly every?: Duration.Input
}

/** How a wait proceeds, and when it ends without success. */
export interface Wait<A, E, R> extends Pace {
  /** How long to wait at most. Default: 10 minutes. */
  readonly deadline?: Duration.Input
  /** Runs with the first value that is read, and with each change. Its error ends the wait. */
  readonly onChange?: (value: A) => Effect.Effect<void, E, R>
}

/** The longest wait that a service is granted, in milliseconds, so that no response can end a watch in silence. */
const longest = 3_600_000

/** The error of a read: that of a call of any operation. */
type ReadFailed = Pick<CallError<ClientReason>, "message" | "isRetryable" | "retryAfter">

const kinds = {
  deadline: OptionRules.duration,
  every: OptionRules.duration,
  onChange: OptionRules.callable,
  status: OptionRules.text,
  until: OptionRules.callable
}

const checked = <Options extends Pace>(options: Options): Options => {
  OptionRules.check("waiting", OptionRules.options(options), kinds)
  return options
}

const changes = <A, E extends ReadFailed, R>(call: Effect.Effect<A, E, R>, options: Pace): Stream.Stream<A, E, R> => {
  const { every = "5 seconds" } = options
  const pause = (least: number) =>
    Effect.flatMap(Random.nextBetween(0.8, 1.2), (factor) =>
      Effect.sleep(Duration.millis(Math.max(least, OptionRules.millis(every) * factor)))
    )
  const read: Effect.Effect<A, E, R> = Effect.catchIf(
    call,
    (error) => error.isRetryable,
    ({ retryAfter: asked }) =>
      Effect.andThen(pause(asked === undefined ? 0 : Math.min(Duration.toMillis(asked), longest)), read)
  )
  return Stream.unfold(true, (first) =>
    Effect.map(first ? read : Effect.andThen(pause(0), read), (value) => [value, false] as const)
  ).pipe(Stream.changes)
}

const readEndpoint = (params: Params) =>
  Effect.flatMap(CloudManagement.CloudManagement, (cloud) => cloud.reversePrivateEndpoints.get(params))

/**
 * Emits the endpoint now, and again whenever it differs from the last value.
 *
 * **Details**
 *
 * A read that fails temporarily is repeated at the next turn, or up to an hour later if the service asks for it; any
 * other failure ends the stream at once.
 *
 * **Example** (Printing each status)
 *
 * ```ts
 * import * as Console from "effect/Console"
 * import * as Stream from "effect/Stream"
 * import type * as Operation from "@cloud-management/client/Operation"
 * import type { getReversePrivateEndpoint } from "@cloud-management/core/Operations"
 * import * as Waiting from "@cloud-management/core/Waiting"
 *
 * declare const params: Operation.Params<typeof getReversePrivateEndpoint>
 * const program = Waiting.watch(params).pipe(Stream.runForEach(({ status }) => Console.log(status)))
 * ```
 *
 * @beta Like the operation that reads an endpoint.
 */
export const watch = (
  params: Params,
  options: Pace = {}
): Stream.Stream<ReversePrivateEndpoint, CallError<Refusals | ClientReason>, CloudManagement.CloudManagement> =>
  changes(readEndpoint(params), checked(options))

/** Reads until the result satisfies `until`; `late` says what was not reached within a time, the deadline. */
const waitFor = <A, E extends ReadFailed, R, E2, R2, E3>(
  read: Effect.Effect<A, E, R>,
  options: Wait<A, E2, R2>,
  until: (value: A) => Effect.Effect<boolean, E3>,
  late: (time: string) => Pick<WaitTimedOut, "message" | "wanted" | "status">
): Effect.Effect<A, E | E2 | E3 | WaitTimedOut, R | R2> => {
  const { deadline = "10 minutes", onChange } = checked(options)
  const limit = Duration.fromInputUnsafe(deadline)
  return Effect.suspend(() => {
    let failed: E | undefined
    const observed = read.pipe(
      Effect.tap(() => Effect.sync(() => (failed = undefined))),
      Effect.tapError((error) => Effect.sync(() => (failed = error)))
    )
    return changes(observed, options).pipe(
      Stream.tap((value): Effect.Effect<void, E2, R2> => (onChange === undefined ? Effect.void : onChange(value))),
      Stream.filterEffect(until),
      Stream.runHead,
      // the stream of reads has no end of its own
      Effect.map(Option.getOrThrow),
      Effect.timeoutOrElse({
        duration: limit,
        orElse: () => {
          const { message, ...about } = late(Duration.format(limit))
          const problem = failed === undefined ? "" : `; the last read failed: ${failed.message}`
          return Effect.fail(
            new WaitTimedOut({ ...about, message: message + problem, limit, ...(failed && { cause: failed }) })
          )
        }
      })
    )
  })
}

/**
 * Repeats a call until its result satisfies `until`, and returns that result.
 *
 * **When to use**
 *
 * For your own operations. To wait for an endpoint, use {@link waitUntil}.
 *
 * **Details**
 *
 * Reads every 5 seconds. Fails after `deadline`, 10 minutes by default, and at once if the call is rejected. A call
 * that fails temporarily is repeated.
 *
 * **Example** (Waiting for a name)
 *
 * ```ts
 * import * as Duration from "effect/Duration"
 * import * as Effect from "effect/Effect"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Waiting from "@cloud-management/core/Waiting"
 *
 * const named = CloudManagement.CloudManagement.pipe(
 *   Effect.flatMap((cloud) => cloud.organizations.list()),
 *   Waiting.poll({ until: ([organization]) => organization?.name === "Acme", every: Duration.seconds(30) })
 * )
 * ```
 */
export const poll: {
  <A, E2 = never, R2 = never>(
    options: { readonly until: (value: A) => boolean } & Wait<A, E2, R2>
  ): <E extends ReadFailed, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E | E2 | WaitTimedOut, R | R2>
  <A, E extends ReadFailed, R, E2 = never, R2 = never>(
    self: Effect.Effect<A, E, R>,
    options: { readonly until: (value: A) => boolean } & Wait<A, E2, R2>
  ): Effect.Effect<A, E | E2 | WaitTimedOut, R | R2>
} = dual(
  2,
  <A, E extends ReadFailed, R, E2 = never, R2 = never>(
    self: Effect.Effect<A, E, R>,
    options: { readonly until: (value: A) => boolean } & Wait<A, E2, R2>
  ): Effect.Effect<A, E | E2 | WaitTimedOut, R | R2> => {
    OptionRules.check("waiting", { until: options.until }, kinds)
    return waitFor(
      self,
      options,
      (value) => Effect.sync(() => options.until(value)),
      (time) => ({ message: `the condition was not met within ${time}` })
    )
  }
)

/**
 * Waits until the endpoint is in a state, `Ready` by default, or until it satisfies `until`, and returns it.
 *
 * **Details**
 *
 * Fails after `deadline`, 10 minutes by default. Fails at once if the read is rejected, or in a state from which the
 * awaited one cannot be reached (`Failed`, `Rejected`, `Expired`, `Deleting`; with `until`, in each of them that it
 * does not accept).
 *
 * For a state that this version does not know, use {@link anyStatus}.
 *
 * **Example** (Waiting up to 5 minutes for Ready)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import type * as Operation from "@cloud-management/client/Operation"
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
 * @beta Like the operation that reads an endpoint.
 */
export const waitUntil = <E = never, R = never>(
  params: Params,
  options: Wait<ReversePrivateEndpoint, E, R> &
    (
      | { readonly status?: KnownStatus | AnyStatus; readonly until?: never }
      | { readonly status?: never; readonly until: (endpoint: ReversePrivateEndpoint) => boolean }
    ) = {}
): Effect.Effect<
  ReversePrivateEndpoint,
  CallError<Refusals | ClientReason> | StatusUnreachable | WaitTimedOut | E,
  CloudManagement.CloudManagement | R
> =>
  Effect.suspend(() => {
    const { status: wanted = "Ready", until = ({ status }) => status === wanted } = options
    const about = options.until === undefined ? { wanted } : {}
    const goal = options.until === undefined ? `become ${wanted}` : "meet the condition"
    let seen: string | undefined
    return waitFor(
      readEndpoint(params),
      options,
      (endpoint) => {
        const { status } = endpoint
        seen = status !== undefined && named.has(status) ? status : undefined
        if (until(endpoint)) return Effect.succeed(true)
        return status !== undefined && isFinal(status, options.until === undefined ? wanted : "Ready")
          ? Effect.fail(
              new StatusUnreachable({
                message: `the endpoint is ${status} and can no longer ${goal}`,
                ...about,
                status
              })
            )
          : Effect.succeed(false)
      },
      (time) => ({
        message: `the endpoint did not ${goal} within ${time}; its last status is ${seen ?? "not known"}`,
        ...about,
        ...(seen !== undefined && { status: seen })
      })
    )
  })
