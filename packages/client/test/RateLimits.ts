import { Clock, Effect, Random } from "effect"
import type { Reply } from "./Stub.ts"

export interface Verdict {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  readonly reset: number
}

export type Limiter = (now: number) => Verdict

export interface Limit {
  readonly limit: number
  readonly window: number
}

/** Windows that follow each other, however much is asked for. */
export const fixedWindow = ({ limit, window }: Limit, phase = 0): Limiter => {
  let [current, count] = [-1, 0]
  return (now) => {
    const index = Math.floor((now + phase) / window)
    if (index !== current) [current, count] = [index, 0]
    const allowed = count < limit
    if (allowed) count++
    return { allowed, limit, remaining: limit - count, reset: (index + 1) * window - now - phase }
  }
}

/** A window that begins with the first request after the last one: the service's own. */
export const windowOnDemand = ({ limit, window }: Limit): Limiter => {
  let [end, count] = [0, 0]
  return (now) => {
    if (now >= end) [end, count] = [now + window, 0]
    const allowed = count < limit
    if (allowed) count++
    return { allowed, limit, remaining: limit - count, reset: end - now }
  }
}

/** A window that every request prolongs by its share, as that of `effect/persistence` is. */
export const prolongedWindow = ({ limit, window }: Limit): Limiter => {
  let [end, count] = [0, 0]
  return (now) => {
    if (now >= end) [end, count] = [now, 0]
    const allowed = count < limit
    if (allowed) [end, count] = [end + window / limit, count + 1]
    return { allowed, limit, remaining: limit - count, reset: end - now }
  }
}

/** At most so many in any span: the reset is that of the oldest request (`next`) or of all (`all`). */
export const slidingLog = ({ limit, window }: Limit, reset: "next" | "all"): Limiter => {
  let log: Array<number> = []
  return (now) => {
    log = log.filter((at) => at + window > now)
    const allowed = log.length < limit
    if (allowed) log.push(now)
    const until = (reset === "next" ? log[0] : log.at(-1)) ?? now
    return { allowed, limit, remaining: limit - log.length, reset: until + window - now }
  }
}

/** A bucket that fills evenly: the reset is that of the next token (`next`) or of the full bucket (`all`). */
export const tokenBucket = ({ limit, window }: Limit, reset: "next" | "all"): Limiter => {
  let [tokens, at] = [limit, 0]
  return (now) => {
    const each = window / limit
    tokens = Math.min(limit, tokens + (now - at) / each)
    at = now
    const allowed = tokens >= 1
    if (allowed) tokens--
    const missing = reset === "all" ? limit - tokens : 1 - (tokens % 1)
    return { allowed, limit, remaining: Math.floor(tokens), reset: missing * each }
  }
}

const whole = (millis: number) => String(Math.ceil(millis / 1000))

const stated = (reset: (millis: number) => string) => (verdict: Verdict) => ({
  "x-ratelimit-limit": String(verdict.limit),
  "x-ratelimit-remaining": String(verdict.remaining),
  "x-ratelimit-reset": reset(verdict.reset)
})

/** The state of a limit that services send; `hint.test.ts` has their words. */
export const statements = {
  "in fractions of seconds": stated((millis) => String(millis / 1000)),
  "in whole seconds, rounded up": stated(whole),
  "without the limit": ({ remaining, reset }) => ({ ratelimit: `"default";r=${remaining};t=${whole(reset)}` }),
  "not at all": () => ({})
} satisfies Readonly<Record<string, (verdict: Verdict) => Record<string, string>>>
export interface Request {
  readonly sent: number
  /** Absent when it never reached the service. */
  status: number | undefined
  /** When its response was there; `Infinity` while it is not. */
  responded: number
}

const ok = JSON.stringify({ status: 200, requestId: "r", result: [{ id: "a0000000-0000-4000-8000-000000000001" }] })
const tooMany = JSON.stringify({ status: 429, error: "TOO_MANY_REQUESTS: Not so fast", requestId: "r" })

export interface Conditions {
  /** The most that a request takes, there and back: each leg takes an even part of its half, so that all overtake. */
  readonly latency: number
  /** The part of requests that is lost: a third each before the service, on the way back, and without any word of it. */
  readonly loss: number
}

/** By the clock that only goes forward, in fractions. */
const now = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

export const reply =
  (
    limiter: Limiter,
    state: (verdict: Verdict) => Record<string, string>,
    { latency, loss }: Conditions,
    requests: Array<Request>
  ): Reply =>
  () =>
    Effect.gen(function* () {
      const leg = Effect.flatMap(Random.nextBetween(0, latency / 2), (millis) =>
        latency === 0 ? Effect.void : Effect.sleep(millis)
      )
      const fate = (yield* Random.next) / loss
      const seen: Request = { sent: yield* now, status: undefined, responded: Infinity }
      requests.push(seen)
      yield* leg
      if (fate < 1 / 3) return yield* Effect.fail("lost on the way")
      const verdict = limiter(yield* now)
      const status = verdict.allowed ? 200 : 429
      seen.status = status
      yield* leg
      if (fate < 2 / 3) return yield* Effect.fail("lost on the way")
      if (fate < 1) return yield* Effect.never
      seen.responded = yield* now
      const body = verdict.allowed ? ok : tooMany
      return new Response(body, { status, headers: { ...state(verdict), "content-length": String(body.length) } })
    })
