import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Invocation from "./Invocation.ts"

const { acme, analytics, deployKey, readyEndpoint } = Fixtures

/** Runs a command against a server, while someone sets the clock an hour ahead or back each time that it is read. */
const run = Effect.fnUntraced(function* (direction: 1 | -1, respond: Http.RequestListener, ...args: Array<string>) {
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = Http.createServer(respond).listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const { port } = server.address() as AddressInfo
  const clock = yield* Clock.Clock
  let now = clock.currentTimeMillisUnsafe()
  const currentTimeMillisUnsafe = () => (now += direction * 3_600_000)
  const set: Clock.Clock = Object.assign(Object.create(clock), {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe)
  })
  return yield* Invocation.run(args, {
    CLOUD_MANAGEMENT_BASE_URL: `http://127.0.0.1:${port}`,
    CLOUD_MANAGEMENT_KEY_ID: deployKey.id,
    CLOUD_MANAGEMENT_KEY_SECRET: deployKey.secret
  }).pipe(Effect.provideService(Clock.Clock, set))
}, Effect.scoped)

const responding = (...results: ReadonlyArray<object>): Http.RequestListener => {
  let reads = 0
  return (_, response) => {
    const result = results[reads++]
    response.setHeader("content-type", "application/json").end(JSON.stringify({ status: 200, result, requestId: "1" }))
  }
}
const endpoint = (status: string) => ({ id: readyEndpoint, status })
const wait = ["endpoints", "get", acme, analytics, readyEndpoint, "--wait", "--every", "1ms"]

it.live.each<[what: string, direction: 1 | -1]>([
  ["ahead", 1],
  ["back", -1]
])("durations do not follow a clock that is set %s", ([, direction]) =>
  Effect.gen(function* () {
    const waited = yield* run(direction, responding(endpoint("Provisioning"), endpoint("Ready")), ...wait)
    expect(waited.stderr).toMatch(/^\d+s  Provisioning\n\d+s  Ready\n$/)
    const who = yield* run(direction, responding([{ id: acme, name: "Acme" }]), "whoami")
    expect(who.stdout).toMatch(/\nRound trip +\d{1,6}ms\n/)
    const unanswered = yield* run(direction, () => {}, "organizations", "list", "--timeout", "50ms")
    expect(unanswered.stderr).toContain("no complete response within 50ms")
  })
)
