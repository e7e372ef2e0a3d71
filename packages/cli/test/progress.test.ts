import { expect, it, Listener } from "../../../checks/fixtures/index.ts"
import { Duration, Effect } from "effect"
import { TestConsole } from "effect/testing"
import type { CallEvent } from "@cloud-management/client/Event"
import { Fixtures } from "@cloud-management/testing"
import * as Format from "../src/output/Format.ts"
import * as Progress from "../src/connection/progress.ts"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

const { acme } = Fixtures
const source = {
  api: "cloud-management",
  operation: "organizations.list",
  method: "GET",
  path: "/v1/organizations",
  address: "h",
  port: 1
}
const retrying = (wait: Duration.Input): CallEvent => ({
  _tag: "Retrying",
  ...source,
  attempts: 1,
  reason: "RateLimited",
  status: 429,
  requestId: "req-1",
  wait: Duration.fromInputUnsafe(wait),
  cause: "hint",
  hinted: true,
  tokens: 5
})
const paced = (wait: Duration.Input): CallEvent => ({ _tag: "Paced", ...source, wait: Duration.fromInputUnsafe(wait) })

const waited =
  "attempt 1 failed: RateLimited (HTTP 429), request ID req-1, waiting 2s (requested by the service) before attempt 2"
const event = { attempts: 1, reason: "RateLimited", status: 429, requestId: "req-1", cause: "hint", waitSeconds: 2 }

it.effect.each<[event: CallEvent, format: "table" | "json", lines: ReadonlyArray<string>]>([
  [retrying("1 second"), "table", []],
  [retrying("2 seconds"), "table", [waited]],
  [retrying("2 seconds"), "json", [JSON.stringify({ event: { tag: "Retrying", ...event } })]],
  [paced("900 millis"), "table", []],
  [paced("1500 millis"), "table", ["waited 1.5s to stay within the rate limit of the service"]]
])("only a wait of more than a second is shown without --verbose: %o, as %s", function* ([event, format, lines]) {
  const tell = Effect.provideService(Format.progress, Format.Format, format)
  for (const isQuiet of [true, false]) {
    expect(yield* TestConsole.errorLines).toEqual([])
    yield* Progress.report(yield* Effect.provideService(tell, Format.Quiet, isQuiet), false)(event)
  }
  expect(yield* TestConsole.errorLines).toEqual(lines)
})

it.live("a call with --verbose reports attempts, waits and request IDs", function* () {
  const busy = Server.reply({ error: "BUSY: later", requestId: "req-1" }, 503)
  const organizations = Server.reply({ result: [{ id: acme }], requestId: "req-2" })
  const { url } = yield* Listener.replying(({ length }) => (length === 1 ? busy : organizations))
  const ended = yield* Invocation.run(["organizations", "list", "--verbose"], Server.client(url))
  expect(ended.stderr).toMatch(
    new RegExp(
      [
        // on a busy machine even a free turn takes a moment
        "^(?:waited [\\d.]+m?s to stay within the rate limit of the service\n)?GET /v1/organizations: HTTP 503 after [\\d.]+m?s",
        "attempt 1 failed: ServiceUnavailable \\(HTTP 503\\), request ID req-1, waiting [\\d.]+m?s \\(backoff\\) before attempt 2",
        "(?:waited [\\d.]+m?s to stay within the rate limit of the service\n)?GET /v1/organizations: HTTP 200 after [\\d.]+m?s",
        "succeeded on attempt 2, request ID req-2\n$"
      ].join("\n")
    )
  )
  expect(ended.code).toBe(0)
})
