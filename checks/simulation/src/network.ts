import { DateTime, Deferred, Effect, Exit, Fiber, Layer, Option, Predicate } from "effect"
import { HttpClient, type HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { StoreUnavailable } from "@cloud-management/service/KeyStore"
import { Store } from "@cloud-management/service/Store"
import { Fault } from "@cloud-management/testing/Faults"
import type { Dice } from "../../fixtures/Dice.ts"
import { CurrentAttempt, CurrentCall, CurrentExchange, label, type Journal } from "./journal.ts"
import type { Kind, Weather } from "./plan.ts"
import { Owner, type VirtualTime } from "./virtualTime.ts"

export interface Setting {
  readonly weather: Weather
  readonly dice: Dice
  readonly journal: Journal
  readonly time: VirtualTime
  /** Whom requests on their way belong to, which do not end with their sender. */
  readonly network: Owner
  readonly service: Owner
  readonly isFair: () => boolean
}

const statuses = [
  408, 429, 429, 429, 500, 502, 502, 503, 503, 504, 400, 401, 403, 404, 409, 301, 303, 418, 200
] as const

/** A response from before the service: of a gateway, a rate limiter, a captive portal; some with one form of hint. */
const drawStatus = ({ dice, time }: Setting): Fault => {
  const status = dice.pick(statuses)
  const seconds = dice.pick([0, 1, 1, 2, 5, 30, 120, 86_400])
  const date = (millis: number) => DateTime.toDateUtc(DateTime.makeUnsafe(millis)).toUTCString()
  const now = Math.floor(time.wall() / 1000) * 1000
  const hints = dice.pick<Readonly<Record<string, string>>>([
    {},
    { date: date(now), "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1000 + seconds) },
    { "retry-after": String(seconds) },
    { date: date(now), "retry-after": date(now + seconds * 1000) },
    { "x-ratelimit-limit": "5", "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(seconds / 4) }
  ])
  const hinted = status === 429 || (status === 503 && dice.chance(0.5))
  const body = dice.pick([
    `<html>${status}</html>`,
    // a gateway that says of a success what the service would cannot be told from it
    JSON.stringify({ ...(status >= 300 && { status }), error: "Not Found", path: "/" }),
    JSON.stringify({ error: "NOT_FOUND: no route" }),
    JSON.stringify({ login: "please" })
  ])
  return Fault.Status({ status, headers: hinted ? hints : {}, body })
}

const hintOf = ({ headers, status }: HttpClientResponse.HttpClientResponse): number | undefined => {
  const retryAfter = headers["retry-after"]
  const at = (text: string | undefined) => Option.getOrUndefined(DateTime.make(text ?? ""))?.epochMilliseconds
  if (retryAfter !== undefined) {
    const [until, from] = [at(retryAfter), at(headers["date"])]
    if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000
    return until !== undefined && from !== undefined ? until - from : 0
  }
  const reset = headers["x-ratelimit-reset"]
  if (status !== 429 || reset === undefined) return undefined
  const from = at(headers["date"])
  return Number(reset) * 1000 - (from !== undefined && Number(reset) * 1000 >= from ? from : 0)
}

const faultOf: Readonly<Record<Kind, (setting: Setting) => Fault>> = {
  status: drawStatus,
  "status-after-send": ({ dice }) =>
    Fault.StatusAfterSend({ status: dice.pick([408, 500, 502, 503, 504]), body: "<html></html>" }),
  break: ({ dice }) =>
    Fault.Break(
      dice.pick([
        { code: "ENOTFOUND", when: "before-send" },
        { code: "CERT_HAS_EXPIRED", when: "before-send" },
        { code: "EPIPE", when: "before-send" },
        { code: "UND_ERR_SOCKET", when: "after-send" }
      ])
    ),
  "hang-after-send": () => Fault.HangAfterSend(),
  delay: ({ dice }) =>
    Fault.Delay({ duration: Math.round(dice.pick([dice.between(0, 200), dice.between(0, 15_000)])) }),
  "drop-before-send": () => Fault.DropBeforeSend(),
  "drop-after-send": () => Fault.DropAfterSend(),
  hang: () => Fault.Hang(),
  truncate: ({ dice }) => Fault.Truncate({ bytes: dice.int(0, 60) }),
  stall: ({ dice }) => Fault.Stall({ bytes: dice.int(0, 60) })
}

const detail = (fault: Fault) => ("status" in fault ? ` ${fault.status}` : "code" in fault ? ` ${fault.code}` : "")

/** Where a request goes wrong is drawn when it is sent. To be given to `Faults.inject`. */
export function* faults(setting: Setting): Generator<Fault> {
  const { dice, journal, weather } = setting
  for (;;) {
    const attempt = Fiber.getCurrent()?.getRef(CurrentAttempt)
    const kind = attempt !== undefined && dice.chance(weather.faults) ? dice.pick(weather.kinds) : undefined
    const fault = kind === undefined ? Fault.None() : faultOf[kind](setting)
    if (attempt !== undefined && kind !== undefined) {
      attempt.fault = fault
      journal.count(kind)
      journal.note("network", `${label(attempt)} meets ${kind}${detail(fault)}`)
    }
    yield fault
  }
}

const wait = (millis: number) => (millis === 0 ? Effect.void : Effect.sleep(millis))

type Send = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

const through =
  (f: (send: Send, request: HttpClientRequest.HttpClientRequest, fiber: Fiber.Fiber<unknown, unknown>) => Send) =>
  <E, R>(transport: Layer.Layer<HttpClient.HttpClient, E, R>): Layer.Layer<HttpClient.HttpClient, E, R> =>
    Layer.effect(
      HttpClient.HttpClient,
      Effect.map(
        HttpClient.HttpClient,
        HttpClient.transform((send, request) => Effect.withFiber((fiber) => f(send, request, fiber)))
      )
    ).pipe(Layer.provide(transport))

export const observe = ({ journal, time }: Setting) =>
  through((send, { headers }, fiber) => {
    const call = fiber.getRef(CurrentCall)
    if (call === undefined) return send
    const attempt = journal.attempt(call, headers["idempotency-key"])
    journal.note(call.fiber, `${label(attempt)} is sent`)
    const seen = (exit: Exit.Exit<HttpClientResponse.HttpClientResponse, unknown>) =>
      Effect.sync(() => {
        attempt.endedAt = time.now()
        if (Exit.isSuccess(exit)) {
          attempt.status = exit.value.status
          attempt.hint = hintOf(exit.value)
        } else {
          attempt.broken = Exit.hasFails(exit)
        }
        const hint = attempt.hint === undefined ? "" : `, which asks to wait ${attempt.hint} ms`
        const none = attempt.broken ? "has its connection broken" : "is given up"
        const what = attempt.status === undefined ? none : `has the head of a ${attempt.status}${hint}`
        journal.note(call.fiber, `${label(attempt)} ${what}`)
      })
    return Effect.onExit(send, seen).pipe(Effect.provideService(CurrentAttempt, attempt))
  })

/** The way to the service and back: latency, and requests that arrive late. */
export const carry = ({ dice, journal, network, service, weather }: Setting) =>
  through((send, _, fiber) => {
    const attempt = fiber.getRef(CurrentAttempt)
    if (attempt === undefined) return send
    const exchange = Effect.suspend(() => {
      const { client, ask } = attempt.call
      const exchange = journal.exchange(label(attempt), client.key, ask)
      attempt.exchange = exchange
      return Effect.onExit(send, (exit) =>
        Effect.sync(() => journal.exchangeEnded(exchange, Exit.isSuccess(exit) ? exit.value.status : undefined))
      ).pipe(Effect.provideService(CurrentExchange, exchange), Effect.provideService(Owner, service))
    })
    const late = dice.chance(weather.late)
    const [there, back] = [dice.between(0, late ? 15_000 : weather.latency), dice.between(0, weather.latency)]
    if (late) {
      journal.count("late")
      journal.note("network", `${label(attempt)} takes ${there.toFixed(3)} ms to arrive`)
    }
    const whole = Effect.andThen(wait(there), Effect.tap(exchange, wait(back)))
    return dice.chance(weather.direct) ? whole : detached(network, whole)
  })

const detached = <A, E>(owner: Owner, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const result = yield* Deferred.make<A, E>()
    yield* Effect.forkDetach(Deferred.into(effect, result)).pipe(Effect.provideService(Owner, owner))
    return yield* Deferred.await(result)
  })

export const storeStep = <A, E>(
  { dice, isFair, journal, weather }: Setting,
  work: Effect.Effect<A, E>
): Effect.Effect<A, E | StoreUnavailable> =>
  Effect.suspend(() => {
    if (isFair()) return work
    const pause = Effect.suspend(() => wait(weather.storeLatency === 0 ? 0 : dice.between(0, weather.storeLatency)))
    const away = Effect.suspend(() => {
      journal.count("store-away")
      return Effect.fail(new StoreUnavailable({ cause: "simulated" }))
    })
    const fails = dice.chance(weather.store)
    const early = dice.chance(0.5)
    return fails && early
      ? Effect.andThen(pause, away)
      : Effect.andThen(pause, fails ? Effect.andThen(work, away) : work).pipe(Effect.tap(pause))
  })

const isStep = (value: unknown): value is Effect.Effect<unknown, StoreUnavailable> => Effect.isEffect(value)

/** The service's store: whatever a request asks of it is a {@link storeStep step}. */
export const layerStore = <E>(setting: Setting, store: Layer.Layer<Store, E>): Layer.Layer<Store, E> =>
  Layer.effect(
    Store,
    Effect.map(Store, (store) => {
      const noted: Store["Service"] = {
        ...store,
        deleteApiKey: (...path) =>
          Effect.tap(store.deleteApiKey(...path), (outcome) =>
            Effect.withFiber((fiber) => {
              const exchange = fiber.getRef(CurrentExchange)
              if (exchange !== undefined && outcome === "deleted") setting.journal.applied(exchange, "deletes the key")
              return Effect.void
            })
          )
      }
      // so that no method is left out that is added to the port
      return new Proxy(noted, {
        get: (store, name) => {
          const method: unknown = Reflect.get(store, name)
          if (!Predicate.isFunction(method) || name === "seed") return method
          return (...args: ReadonlyArray<unknown>) => {
            const work: unknown = Reflect.apply(method, store, args)
            return isStep(work) ? storeStep(setting, work) : work
          }
        }
      })
    })
  ).pipe(Layer.provide(store))
