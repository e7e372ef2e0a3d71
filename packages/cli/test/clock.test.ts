import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

const { acme, analytics, readyEndpoint } = Fixtures

/** Runs a command against a server with these results, while someone sets the clock an hour ahead or back each time that it is read. */
const run = Effect.fnUntraced(function* (
  direction: 1 | -1,
  results: ReadonlyArray<object>,
  ...args: ReadonlyArray<string>
) {
  const { url } = yield* Server.answering(({ length }) => {
    const result = results[length - 1]
    return result && { status: 200, body: JSON.stringify({ status: 200, result, requestId: "1" }) }
  })
  const clock = yield* Clock.Clock
  let now = clock.currentTimeMillisUnsafe()
  const currentTimeMillisUnsafe = () => (now += direction * 3_600_000)
  const set: Clock.Clock = Object.assign(Object.create(clock), {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe)
  })
  return yield* Invocation.run(args, Server.client(url)).pipe(Effect.provideService(Clock.Clock, set))
}, Effect.scoped)

const endpoint = (status: string) => ({ id: readyEndpoint, status })
const wait = ["endpoints", "get", acme, analytics, readyEndpoint, "--wait", "--every", "1ms"]

it.live.each<[what: string, direction: 1 | -1]>([
  ["ahead", 1],
  ["back", -1]
])("durations do not follow a clock that is set %s", ([, direction]) =>
  Effect.gen(function* () {
    const waited = yield* run(direction, [endpoint("Provisioning"), endpoint("Ready")], ...wait)
    expect(waited.stderr).toMatch(/^\d+s  Provisioning\n\d+s  Ready\n$/)
    const who = yield* run(direction, [[{ id: acme, name: "Acme" }]], "whoami")
    expect(who.stdout).toMatch(/\nRound trip +\d{1,6}ms\n/)
    const unanswered = yield* run(direction, [], "organizations", "list", "--timeout", "50ms")
    expect(unanswered.stderr).toContain("no complete response within 50ms")
  })
)
