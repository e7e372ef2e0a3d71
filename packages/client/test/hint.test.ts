import { describe, expect, it } from "@effect/vitest"
import { Headers } from "effect/http"
import * as Head from "../src/internal/head.ts"

type Fields = Readonly<Record<string, string>>

const noon = Date.UTC(2026, 9, 21, 12)
const date = (millis: number) => new Date(millis).toUTCString()
/** The response's own date: noon. The client's clock is an hour behind, so that a test shows which of them counts. */
const dated = (headers: Fields) => ({ ...headers, date: date(noon) })
const source = (headers: Fields, status = 429): Head.Stated => ({
  status,
  headers: Headers.fromInput(headers),
  nowMillis: noon - 3_600_000
})
const burstAndDaily = '"burst";q=10;w=1, "daily";q=1000;w=86400'

describe("how long a response asks to wait, in milliseconds", () => {
  it.each<[headers: Fields, wait: number | undefined]>([
    // Retry-After (RFC 9110 §10.2.3)
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": " 12 " }, 12_000],
    [{ "retry-after": "1.25" }, 1250],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-7" }, undefined],
    [{ "retry-after": "7s" }, undefined],
    [{ "retry-after": "7, 2030" }, undefined],
    // twice, from a gateway and the service behind it
    [{ "retry-after": "7, 7" }, 7000],
    [dated({ "retry-after": "Wed, 21 Oct 2026 12:00:09 GMT, Wed, 21 Oct 2026 12:00:09 GMT" }), 9000],
    [{ "retry-after": "not before Mon 2030" }, undefined],
    [{ "retry-after-ms": "250" }, 250],
    [{ "retry-after-ms": "0", "retry-after": "1" }, 0],
    [{ "retry-after-ms": "soon", "retry-after": "1" }, 1000],
    [{ "retry-after-ms": "-1" }, undefined],
    [{ "retry-after": "7", "x-ratelimit-reset": "2", ratelimit: '"default";r=0;t=3' }, 7000],
    // the three forms of an HTTP date (RFC 9110 §5.6.7), on each day of the week
    [dated({ "retry-after": "Wed, 21 Oct 2026 12:00:09 GMT" }), 9000],
    [dated({ "retry-after": "Thu, 22 Oct 2026 12:00:00 GMT" }), 86_400_000],
    [dated({ "retry-after": "Friday, 23-Oct-26 12:00:00 GMT" }), 2 * 86_400_000],
    [dated({ "retry-after": "Sat Oct 24 12:00:00 2026" }), 3 * 86_400_000],
    [dated({ "retry-after": "Sun, 25 Oct 2026 12:00:00 GMT" }), 4 * 86_400_000],
    [dated({ "retry-after": "Mon, 26 Oct 2026 12:00:00 GMT" }), 5 * 86_400_000],
    [dated({ "retry-after": "Tue Oct 27 12:00:00 2026" }), 6 * 86_400_000],
    [dated({ "retry-after": "Wed, 21 Oct 2026 11:59:59 GMT" }), 0],
    // from the client's clock, if the response has no date that can be read
    [{ "retry-after": "Wed, 21 Oct 2026 11:00:09 GMT" }, 9000],
    [{ "retry-after": "Wed, 21 Oct 2026 11:00:09 GMT", date: "noon" }, 9000],
    [dated({ "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" }), Date.UTC(9999, 11, 31, 23, 59, 59) - noon],
    // a moment: from 10⁹ on in seconds since 1970, from 10¹¹ on in milliseconds
    [dated({ "retry-after": String(noon / 1000 + 9) }), 9000],
    [dated({ "x-ratelimit-reset": "1000000000" }), 0],
    [dated({ "x-ratelimit-reset": "99999999999" }), 99_999_999_999_000 - noon],
    [dated({ "x-ratelimit-reset": "100000000000" }), 0],
    [{ "x-ratelimit-reset": String(noon / 1000 - 3600 + 9) }, 9000],
    // the reset of a limit, in the spelling of X-RateLimit, of the drafts up to 6, of 7, and from 8 on
    [{ "x-ratelimit-reset": "2", "ratelimit-reset": "3", ratelimit: "reset=4" }, 2000],
    [{ "ratelimit-reset": "3", ratelimit: "limit=10, remaining=0, reset=4" }, 3000],
    [{ ratelimit: "limit=10, remaining=0, reset=4" }, 4000],
    [{ ratelimit: "limit=10;remaining=0;reset=4" }, 4000],
    [{ ratelimit: '"default";r=0;t=5' }, 5000],
    [dated({ ratelimit: `"default";r=0;t=${noon / 1000 + 7}` }), 7000],
    // of several limits the one used up, and of several used up the one reset last
    [{ ratelimit: '"daily";r=900;t=40000, "burst";r=0;t=6' }, 6000],
    [{ ratelimit: '"burst";r=0;t=6, "daily";r=900;t=40000' }, 6000],
    [{ ratelimit: '"burst";r=0;t=6, "minute";r=0;t=8' }, 8000],
    [{ ratelimit: '"burst";r=0, "minute";r=0;t=8' }, 8000],
    [{ ratelimit: '"minute";t=8, "burst";r=1;t=6' }, 6000],
    [{ ratelimit: '"default"' }, undefined],
    [{}, undefined]
  ])("%j: %s", (headers, wait) => {
    // no time of the machine's zone is taken for UTC
    const zone = process.env["TZ"]
    process.env["TZ"] = "Asia/Kolkata"
    try {
      expect(Head.retryAfter(source(headers))).toBe(wait)
    } finally {
      if (zone === undefined) delete process.env["TZ"]
      else process.env["TZ"] = zone
    }
  })

  it.each([
    ["in seconds with a fraction", "2.25", 2250],
    ["in seconds up to 10⁹", "999999999", 999_999_999_000],
    ["in milliseconds since 1970", String(noon + 9500), 9500]
  ])("the reset of a limit is read %s", (_, reset, wait) => {
    expect(Head.retryAfter(source(dated({ "x-ratelimit-reset": reset })))).toBe(wait)
  })

  it.each<[headers: Fields, wait: number | undefined]>([
    [{ "retry-after": "7" }, 7000],
    [dated({ "retry-after": "Wed, 21 Oct 2026 12:00:09 GMT" }), 9000],
    [{ "retry-after": date(0) }, undefined],
    [{ "x-ratelimit-reset": "7", ratelimit: '"default";r=5;t=7' }, undefined]
  ])("of another status than 429, %j: %s", (headers, wait) => {
    expect(Head.retryAfter(source(headers, 503))).toBe(wait)
  })
})

it.each<[headers: Fields, limit: number | undefined, remaining: number | undefined, reset: number | undefined]>([
  [{}, undefined, undefined, undefined],
  [{ "x-ratelimit-limit": "10", "x-ratelimit-remaining": "5", "x-ratelimit-reset": "3" }, 10, 5, 3000],
  [{ "ratelimit-limit": "10", "ratelimit-remaining": "5", "ratelimit-reset": "3" }, 10, 5, 3000],
  [{ "x-ratelimit-limit": "10", "ratelimit-limit": "11", ratelimit: "limit=12" }, 10, undefined, undefined],
  [{ ratelimit: "limit=10, remaining=5, reset=3" }, 10, 5, 3000],
  [{ "ratelimit-policy": '"default";q=10;w=10', ratelimit: '"default";r=5;t=3' }, 10, 5, 3000],
  [{ "ratelimit-policy": '"default";q=10;w=10' }, 10, undefined, undefined],
  [{ ratelimit: '"default";r=5;t=3' }, undefined, 5, 3000],
  // the limit that binds has the policy of its name, wherever that is in the list; else the first one
  [{ "ratelimit-policy": burstAndDaily, ratelimit: '"burst";r=9;t=1, "daily";r=2;t=50' }, 1000, 2, 50_000],
  [{ "ratelimit-policy": '"daily";q=1000, "burst";q=10', ratelimit: '"burst";r=0;t=1' }, 10, 0, 1000],
  [{ "ratelimit-policy": burstAndDaily, ratelimit: '"daily";r=0;t=5, "burst";r=0;t=5' }, 1000, 0, 5000],
  [{ "ratelimit-policy": burstAndDaily, ratelimit: '"hourly";r=7;t=50' }, 10, 7, 50_000]
])("a response says of a rate limit %j: limit %s, remaining %s, reset %s", (headers, limit, remaining, reset) => {
  expect(Head.rateLimit(source(headers))).toEqual({ limit, remaining, reset })
})
