import * as Clock from "effect/Clock"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Tracer from "effect/Tracer"
import { TracerEnabled } from "effect/References"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as AccessLog from "../AccessLog.ts"
import type { HttpRequest } from "../HttpRequest.ts"
import { type KeyStore, StoreUnavailable } from "../KeyStore.ts"
import * as Address from "../wire/address.ts"
import type { Exchange } from "../wire/exchange.ts"
import type { Measures } from "./measures.ts"
import * as Tracing from "./tracing.ts"

/** The methods of RFC 9110 and RFC 5789. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"])

const secondsSince = (clock: Clock.Clock, started: bigint) => Number(clock.monotonicTimeNanosUnsafe() - started) / 1e9

const bytesOf = ({ method }: HttpRequest, { body, headers }: HttpServerResponse): number | undefined => {
  if (method === "HEAD" || body._tag === "Empty") return 0
  if (body._tag === "Uint8Array") return body.contentLength
  const announced = headers["content-length"]
  return announced === undefined ? undefined : Number(announced)
}

/** `isCutOff`: whether requests that end without a response are cut off, not left by their callers. */
export const request =
  (measures: Measures | undefined, record: AccessLog.Recorder | undefined, isCutOff: () => boolean) =>
  (exchange: Exchange, respond: () => Effect.Effect<HttpServerResponse>): Effect.Effect<HttpServerResponse> =>
    Effect.withFiber((fiber) => {
      // nothing receives the spans of the native tracer
      const isTraced = fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer && fiber.getRef(TracerEnabled)
      const isReported = measures !== undefined || record !== undefined
      if (!isTraced && !isReported) return respond()
      const { request, route } = exchange
      const method = methods.has(request.method) ? request.method : "_OTHER"
      const traced = () =>
        route?.isProbe === true
          ? Effect.withTracerEnabled(respond(), false)
          : Tracing.withSpan(exchange, method, respond())
      if (!isReported) return traced()
      const clock = fiber.getRef(Clock.Clock)
      const started = clock.monotonicTimeNanosUnsafe()
      const requests = measures?.requests(route?.template ?? "/*")(method)
      if (requests !== undefined) requests.active++
      return Effect.onExitPrimitive(isTraced ? traced() : respond(), (exit) => {
        const seconds = secondsSince(clock, started)
        const response = Exit.isSuccess(exit) ? exit.value : undefined
        if (requests !== undefined) {
          requests.active--
          requests.duration(response?.status)(seconds)
        }
        return record?.({
          requestId: exchange.requestId,
          route: route?.template,
          keyId: exchange.keyId,
          time: clock.currentTimeMillisUnsafe(),
          method: request.method,
          // for a caller that left, as nginx has it
          status: response?.status ?? (isCutOff() ? undefined : 499),
          durationMillis: seconds * 1000,
          bytes: response === undefined ? 0 : bytesOf(request, response),
          address: Address.ofCaller(request)
        })
      })
    })

/** The kind of a failure of the store: a tag of effect's `SqlError`, `corrupt`, `TimeoutError`, `ClocksDiffer`, otherwise `_OTHER`. */
const kindOf = ({ cause, isCorrupt }: StoreUnavailable): string => {
  if (isCorrupt) return "corrupt"
  const error = Predicate.hasProperty(cause, "reason") ? cause.reason : cause
  return Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "_OTHER"
}

export const failureOf = (exit: Exit.Exit<unknown, StoreUnavailable>): StoreUnavailable | undefined =>
  Exit.isSuccess(exit) ? undefined : exit.cause.reasons.find(Cause.isFailReason)?.error

const errorTypeOf = (exit: Exit.Exit<unknown, StoreUnavailable>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const error = failureOf(exit)
  if (error !== undefined) return kindOf(error)
  return Cause.hasInterruptsOnly(exit.cause) ? "cancelled" : "_OTHER"
}

/** Measures the calls of a store, by the names of its methods, except those that no request waits for. */
export const store = <S extends KeyStore["Service"]>(store: S, measures: Measures | undefined): S => {
  if (measures === undefined) return store
  const timed = (operation: string, method: () => Call): Call =>
    Effect.withFiber((fiber) => {
      const clock = fiber.getRef(Clock.Clock)
      const started = clock.monotonicTimeNanosUnsafe()
      const end = (exit: Exit.Exit<unknown, StoreUnavailable>) => {
        measures.storeCallEnded(operation)(errorTypeOf(exit))(secondsSince(clock, started))
        return undefined
      }
      const call = method()
      if (!isEnded(call)) return Effect.onExitPrimitive(call, end)
      // what SQLite reads at once takes no step more
      end(call)
      return call
    })
  const methods = Object.entries<Method>(store).map(([name, method]) => {
    if (name === "recordUse" || name === "seed") return [name, method] as const
    return [
      name,
      Effect.isEffect(method)
        ? timed(name, () => method)
        : (...args: ReadonlyArray<never>) => timed(name, () => method(...args))
    ] as const
  })
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the methods of a store, by their names
  return Object.fromEntries(methods) as S
}

type Call = Effect.Effect<unknown, StoreUnavailable>
const isEnded = (call: Call): call is Exit.Exit<unknown, StoreUnavailable> => Exit.isExit(call)
type Method = Call | ((...args: ReadonlyArray<never>) => Call)
