import * as Client from "@cloud-management/client/Client"
import * as Core from "@cloud-management/client/CallError"
import * as Credentials from "@cloud-management/client/Credentials"
import type { Listener } from "@cloud-management/client/Event"
import * as Deadline from "@cloud-management/client/Deadline"
import * as Transport from "@cloud-management/client/Transport"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { constVoid } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Fetch } from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import { AbortError, ClosedError, ClientError, InvalidOptionError } from "../CallError.ts"
import type { Options } from "../Client.ts"
import * as Failure from "./failure.ts"
import { isError } from "./foreign.ts"
import * as Settings from "./settings.ts"

const toError = (cause: Cause.Cause<Failure.Failure>): Error => {
  const error = Cause.squash(cause)
  if (error instanceof Core.CallError) return Failure.toError(error)
  return isError(error) ? error : new ClientError("the call failed", { cause: error })
}

const toAbortError = ({ reason }: { readonly reason: unknown }): Error =>
  isError(reason) ? reason : new AbortError("the call was aborted", { cause: reason })

type Exchange = Client.Calls["exchange"]

/** Reads the credentials, within the time of an attempt. */
const read = (credentials: Extract<Options["credentials"], () => unknown>, limit: Duration.Duration) =>
  Effect.promise(async () => {
    try {
      return Settings.credentials(await credentials())
    } catch (error) {
      throw isError(error) ? error : new ClientError("the credentials cannot be read", { cause: error })
    }
  }).pipe(
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => Effect.die(new ClientError("reading `credentials` took longer than `timeout`"))
    })
  )

/**
 * A client that is made in a scope with the first call, or with the next one if that fails, or if it has not ended in
 * time: in workerd, it belongs to the request of the first call, which can be cancelled.
 */
const later = <E>(connect: Effect.Effect<Client.Calls, E>, scope: Scope.Scope, limit: Duration.Duration): Exchange => {
  let connecting: Promise<Client.Calls> | undefined
  const connected: Effect.Effect<Client.Calls> = Effect.suspend(() => {
    const connection = connecting ?? Effect.runPromise(Effect.flatMap(Effect.forkIn(connect, scope), Fiber.join))
    const forget = () => {
      if (connecting === connection) connecting = undefined
    }
    if (connecting === undefined) connection.catch(forget)
    connecting = connection
    return Effect.timeoutOrElse(
      Effect.promise(() => connection),
      { duration: limit, orElse: () => Effect.andThen(Effect.sync(forget), connected) }
    )
  })
  return (operation, input) => Effect.flatMap(connected, ({ exchange }) => exchange(operation, input))
}

/**
 * Makes a connection over a transport, or over one that uses the program's `fetch`. Throws for options that no call can
 * be made with.
 */
export const make = (
  layer: Layer.Layer<HttpClient.HttpClient>,
  overFetch: Layer.Layer<HttpClient.HttpClient>,
  options: Options
) => {
  const { baseUrl, credentials = Credentials.schemes({}), fetch, log, maxResponseBytes, requestIdHeader } = options
  const scope = Scope.makeUnsafe()
  let building: Promise<HttpClient.HttpClient> | undefined
  let built: HttpClient.HttpClient | undefined
  // begins with the first request, since that of Node.js is loaded then
  const transport = Effect.promise(
    () =>
      (building ??= Effect.runPromise(
        Effect.map(
          fetch === undefined
            ? Layer.buildWithScope(layer, scope)
            : Effect.provideService(Layer.buildWithScope(overFetch, scope), Fetch, (url, init = {}) =>
                fetch(typeof url === "string" ? url : "href" in url ? url.href : url.url, init)
              ),
          (context) => (built = Context.get(context, Transport.HttpClient))
        )
      ))
  )
  const policies = Settings.policies(options)
  const attempt = Duration.fromInputUnsafe(policies.deadline.attempt ?? Deadline.standard.attempt)
  const connect = (source: Effect.Effect<Credentials.Credentials>, listener?: Listener) =>
    Client.make(
      {},
      {
        baseUrl,
        credentials: source,
        ...policies,
        ...(maxResponseBytes !== undefined && { maxResponseBytes }),
        ...(requestIdHeader !== undefined && { requestIdHeader }),
        ...(listener !== undefined && { log: listener })
      }
    ).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(
        Transport.HttpClient,
        Transport.make((request) =>
          built === undefined ? Effect.flatMap(transport, ({ execute }) => execute(request)) : built.execute(request)
        )
      ),
      Effect.mapError((error) =>
        error instanceof Client.InvalidOption ? new InvalidOptionError(error.option, error.message) : error
      )
    )
  // also where the credentials are read later: the other options are checked now
  const isRead = typeof credentials === "function"
  const listener: Listener | undefined =
    log &&
    ((event) =>
      Effect.sync(() => {
        const heard: unknown = log("wait" in event ? { ...event, wait: Duration.toMillis(event.wait) } : event)
        // of an async function; what fails in it fails no call
        Promise.resolve(heard).catch(constVoid)
      }))
  // one of them reports what is wrong with the base URL
  const fixed = Effect.runSync(
    isRead ? connect(Effect.succeed(Credentials.schemes({}))) : connect(Effect.succeed(credentials), listener)
  )
  const exchange = isRead
    ? later(connect(read(credentials, attempt), listener), scope, Duration.sum(attempt, Duration.seconds(1)))
    : fixed.exchange

  let closing: Promise<void> | undefined
  /** The calls that run, each with what ends it. */
  const running = new Map<Fiber.Fiber<unknown, unknown>, (error: Error) => void>()
  return {
    exchange,
    /** Runs one call. It rejects at once when it is aborted, and when the client is closed. */
    run: <A>(
      call: Effect.Effect<A, Failure.Failure>,
      signal: AbortSignal | undefined,
      locate: (error: Error) => Error
    ): Promise<A> =>
      new Promise((resolve, fail) => {
        const reject = (error: Error) => fail(locate(error))
        const invalid = Settings.invalidSignal(signal)
        if (invalid !== undefined) return reject(invalid)
        if (closing !== undefined) return reject(new ClosedError("the client is closed"))
        if (signal?.aborted === true) return reject(toAbortError(signal))
        const start = Effect.withFiber((fiber) => {
          const end = (error: Error) => {
            reject(error)
            fiber.interruptUnsafe()
          }
          const abort = () => signal !== undefined && end(toAbortError(signal))
          running.set(fiber, end)
          signal?.addEventListener("abort", abort)
          fiber.addObserver(() => {
            running.delete(fiber)
            signal?.removeEventListener("abort", abort)
          })
          // not before: the call can send its request at once, and an abort or close() can come from that
          return call
        })
        Effect.runFork(start).addObserver((exit) => {
          if (Exit.isSuccess(exit)) resolve(exit.value)
          else reject(toError(exit.cause))
        })
      }),
    close: (): Promise<void> => {
      if (closing === undefined) {
        const fibers = [...running.keys()]
        for (const end of running.values()) end(new ClosedError("the client was closed during the call"))
        closing = Promise.resolve(building).then(() =>
          Effect.runPromise(Effect.andThen(Fiber.awaitAll(fibers), Scope.close(scope, Exit.void)))
        )
      }
      return closing
    }
  }
}
/** A client with what its calls run in. */
export type Connection = ReturnType<typeof make>
