import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import * as Retry from "@cloud-management/core/Retry"
import * as Faults from "@cloud-management/testing/Faults"
import { always, play, refusal, type AnyFailure, type Options } from "./Scripted.ts"

type Headers = Readonly<Record<string, string>>

/** A date of HTTP (RFC 9110 §5.6.7). The test clock starts at the epoch. */
const date = (millis: number) => new Date(millis).toUTCString()
const noon = Date.UTC(2026, 9, 21, 12)
const hour = 3_600_000

const retryAfter = (error: AnyFailure | undefined) =>
  error !== undefined && Predicate.hasProperty(error.reason, "retryAfter") ? error.reason.retryAfter : undefined

describe("a wait that the service asks for", () => {
  const hints: ReadonlyArray<readonly [name: string, status: number, headers: Headers, wait: number]> = [
    ["Retry-After in seconds", 429, { "retry-after": "7" }, 7000],
    ["Retry-After with a 503", 503, { "retry-after": "7" }, 7000],
    ["Retry-After with a gateway's 502", 502, { "retry-after": "7" }, 7000],
    ["Retry-After with a 500", 500, { "retry-after": "7" }, 7000],
    ["Retry-After with a fraction", 429, { "retry-after": "1.5" }, 1500],
    ["Retry-After as a date", 429, { "retry-after": date(7000) }, 7000],
    ["Retry-After as a date, from the answer's own", 429, { "retry-after": date(noon + 9000), date: date(noon) }, 9000],
    ["Retry-After in seconds since 1970", 429, { "retry-after": String(noon / 1000 + 9), date: date(noon) }, 9000],
    ["Retry-After as a date of RFC 850", 429, { "retry-after": "Thursday, 01-Jan-70 00:00:07 GMT" }, 7000],
    ["X-RateLimit-Reset in seconds with a fraction", 429, { "x-ratelimit-reset": "2.25" }, 2250],
    [
      "X-RateLimit-Reset in seconds since 1970",
      429,
      { "x-ratelimit-reset": String(noon / 1000 + 9), date: date(noon) },
      9000
    ],
    [
      "X-RateLimit-Reset in milliseconds since 1970",
      429,
      { "x-ratelimit-reset": String(noon + 9500), date: date(noon) },
      9500
    ],
    [
      "RateLimit-Reset in seconds since 1970",
      429,
      { "ratelimit-reset": String(noon / 1000 + 8), date: date(noon) },
      8000
    ],
    [
      "RateLimit with a reset in seconds since 1970",
      429,
      { ratelimit: `"default";r=0;t=${noon / 1000 + 7}`, date: date(noon) },
      7000
    ],
    ["RateLimit-Reset, as drafts up to 6 spell it", 429, { "ratelimit-reset": "3" }, 3000],
    ["RateLimit, as draft 7 spells it", 429, { ratelimit: "limit=10, remaining=0, reset=4" }, 4000],
    ["RateLimit, as drafts from 8 on spell it", 429, { ratelimit: '"default";r=0;t=5' }, 5000],
    [
      "RateLimit with several limits: that of the one used up",
      429,
      { ratelimit: '"daily";r=900;t=40000, "burst";r=0;t=6' },
      6000
    ],
    ["RateLimit with several used up: the longest", 429, { ratelimit: '"burst";r=0;t=6, "minute";r=0;t=8' }, 8000],
    [
      "Retry-After rather than the reset of a limit",
      429,
      { "retry-after": "7", "x-ratelimit-reset": "2", ratelimit: '"default";r=0;t=3' },
      7000
    ]
  ]
  it.effect.each(hints)("is kept: %s", ([, status, headers, wait]) =>
    Effect.gen(function* () {
      const { ending, error, gaps } = yield* play([refusal(status, headers)])
      expect([ending, error]).toEqual(["ok", undefined])
      expect(gaps).toEqual([expect.closeTo(wait, 2)])
    })
  )

  it.effect("is kept each time", () =>
    Effect.gen(function* () {
      const headers = { "retry-after": "7" }
      const { ending, gaps } = yield* play([refusal(429, headers), refusal(503, headers)])
      expect([ending, gaps]).toEqual(["ok", [7000, 7000]])
    })
  )

  it.effect("as a date of asctime is in UTC, wherever the client is", () =>
    Effect.gen(function* () {
      const { gaps } = yield* play([refusal(429, { "retry-after": "Thu Jan  1 00:00:07 1970" })])
      expect(gaps).toEqual([7000])
    }).pipe((test) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const zone = process.env["TZ"]
          process.env["TZ"] = "Asia/Kolkata"
          return zone
        }),
        () => test,
        (zone) =>
          Effect.sync(() => {
            if (zone === undefined) delete process.env["TZ"]
            else process.env["TZ"] = zone
          })
      )
    )
  )

  const off: ReadonlyArray<readonly [name: string, clockOff: number]> = [
    ["an hour ahead", hour],
    ["an hour behind", -hour]
  ]
  it.effect.each(off)(
    "as a date does not depend on a clock that is %s, where the answer has its own date",
    ([, clockOff]) =>
      Effect.gen(function* () {
        const headers = { "retry-after": date(noon + 9000), date: date(noon) }
        const { gaps } = yield* play([refusal(429, headers)], { clockOff })
        expect(gaps).toEqual([9000])
      })
  )

  it.effect("as a moment since 1970 counts from the client's clock, where the answer has no date", () =>
    Effect.gen(function* () {
      const headers = { "x-ratelimit-reset": String(noon / 1000 + 9) }
      const { gaps } = yield* play([refusal(429, headers)], { clockOff: noon })
      expect(gaps).toEqual([9000])
    })
  )

  it.effect("is a floor: what is drawn beyond it stays", () =>
    Effect.gen(function* () {
      const headers = { "retry-after": "1" }
      const retry = { baseRateLimited: "4 seconds" } as const
      const waits: Array<number> = []
      for (let i = 0; i < 200; i++) waits.push(...(yield* play([refusal(429, headers)], { retry })).gaps)
      expect(Math.min(...waits)).toBeCloseTo(1000, 2)
      expect(Math.max(...waits)).toBeGreaterThan(3800)
      // a quarter of what is drawn from 4 seconds is below the floor
      expect(waits.filter((wait) => wait < 1001).length).toBeGreaterThan(30)
      expect(waits.filter((wait) => wait < 1001).length).toBeLessThan(70)
    }).pipe(Random.withSeed("floor"))
  )

  const none: ReadonlyArray<readonly [name: string, status: number, headers: Headers]> = [
    ["a date that has passed", 429, { "retry-after": date(noon), date: date(noon + 1000) }],
    ["no number and no date", 429, { "retry-after": "soon" }],
    ["a number among words", 429, { "retry-after": "not before 2030" }],
    ["two of them", 429, { "retry-after": "7, 2030" }],
    ["empty", 429, { "retry-after": "" }],
    ["below zero", 429, { "retry-after": "-7" }],
    ["zero", 429, { "retry-after": "0" }],
    ["a moment that has passed", 429, { "x-ratelimit-reset": String(noon / 1000), date: date(noon + 1000) }],
    ["the reset of a limit that is not the reason", 503, { "x-ratelimit-reset": "7", ratelimit: '"default";r=5;t=7' }]
  ]
  it.effect.each(none)("is none: %s", ([, status, headers]) =>
    Effect.gen(function* () {
      const { ending, gaps } = yield* play([refusal(status, headers)])
      expect(ending).toBe("ok")
      expect(gaps[0]).toBeLessThan(500)
    })
  )
})

describe("a wait that is too long fails at once, with what was asked for", () => {
  const rows: ReadonlyArray<readonly [name: string, headers: Headers, options: Options, asked: Duration.Input]> = [
    ["more than a minute", { "retry-after": "61" }, { deadline: { total: "1 hour" } }, "61 seconds"],
    ["an hour", { "retry-after": "3600" }, {}, "1 hour"],
    ["a hundred years", { "retry-after": "3155760000" }, {}, "36525 days"],
    ["the year 9999", { "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" }, {}, Date.UTC(9999, 11, 31, 23, 59, 59)],
    ["a reset that is a moment, not a wait", { "x-ratelimit-reset": "1792584000" }, {}, "1792584000 seconds"],
    [
      "31 years, which are no moment yet",
      { "x-ratelimit-reset": "999999999", date: date(noon) },
      {},
      "999999999 seconds"
    ],
    ["past the deadline", { "retry-after": "20" }, { deadline: { total: "15 seconds" } }, "20 seconds"],
    ["just at the deadline", { "retry-after": "15" }, { deadline: { total: "15 seconds" } }, "15 seconds"],
    ["past the policy's own limit", { "retry-after": "3" }, { retry: { maxHint: "2 seconds" } }, "3 seconds"]
  ]
  it.effect.each(rows)("%s", ([, headers, options, asked]) =>
    Effect.gen(function* () {
      const { elapsed, ending, error, sent } = yield* play(always(refusal(429, headers)), options)
      expect([ending, error?.attempts, sent.length, elapsed]).toEqual(["RateLimited 429 refused", 1, 1, 0])
      expect(retryAfter(error)).toEqual(Duration.fromInputUnsafe(asked))
    })
  )

  it.effect("also when the body breaks off", () =>
    Effect.gen(function* () {
      const answer = refusal(429, { "retry-after": "90" })
      const { elapsed, ending, error } = yield* play([answer], { cuts: [Faults.Fault.Truncate({ bytes: 9 })] })
      expect([ending, error?.attempts, elapsed]).toEqual(["RateLimited 429 refused", 1, 0])
      expect(retryAfter(error)).toEqual(Duration.seconds(90))
    })
  )

  it.effect("whatever the status", () =>
    Effect.gen(function* () {
      for (const [status, tag] of [
        [503, "ServiceUnavailable"],
        [502, "UnexpectedStatus"]
      ] as const) {
        const { elapsed, ending, error } = yield* play(always(refusal(status, { "retry-after": "90" })))
        expect([ending, error?.attempts, elapsed]).toEqual([`${tag} ${status} unknown`, 1, 0])
        expect(retryAfter(error)).toEqual(Duration.seconds(90))
      }
    })
  )

  it.effect("counted from where the call stands, not from its start", () =>
    Effect.gen(function* () {
      const { elapsed, error } = yield* play(always(refusal(429, { "retry-after": "25" })))
      // 25 and 50 seconds are within the deadline of 60, 75 would not be: but 3 attempts are all there is
      expect([error?.attempts, elapsed]).toEqual([3, 50_000])
      const more = yield* play(always(refusal(429, { "retry-after": "25" })), { retry: { attempts: 5 } })
      expect([more.error?.attempts, more.elapsed]).toEqual([3, 50_000])
    })
  )

  it.effect("but not 60 seconds, nor 5 minutes where the policy is patient", () =>
    Effect.gen(function* () {
      const deadline = { total: "1 hour" } as const
      const minute = yield* play([refusal(429, { "retry-after": "60" })], { deadline })
      expect([minute.ending, minute.elapsed]).toEqual(["ok", 60_000])
      const patient = yield* play([refusal(429, { "retry-after": "300" })], { deadline, retry: Retry.patient })
      expect([patient.ending, patient.elapsed]).toEqual(["ok", 300_000])
    })
  )
})
