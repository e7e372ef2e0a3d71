/**
 * Waiting for the state of an endpoint: `waitUntil` returns the endpoint once it has a status, `watch` is a stream of its
 * changes. What ends either: docs/library/waiting.md. The handle of the in-memory service changes the status; for a test under
 * a virtual clock: waiting.test.ts.
 */
import { Waiting } from "@cloud-management/core"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { Console, Effect, Stream } from "effect"

/** Between two reads; without it 5 seconds. */
const every = "50 millis"

const ready = Waiting.waitUntil(Fixtures.endpoint, {
  every,
  deadline: "5 seconds",
  onChange: ({ status }) => Console.log(`waiting: ${status}`)
}).pipe(
  Effect.map(({ dnsNames }) => `ready at ${dnsNames?.join(", ")}`),
  Effect.catchTags({
    StatusUnreachable: ({ status }) => Effect.succeed(`given up: it is ${status}`),
    WaitTimedOut: ({ status }) => Effect.succeed(`given up: it is still ${status}`)
  })
)

const program = Effect.gen(function* () {
  const service = yield* InMemoryTransport.InMemoryTransport
  const later = (status: "Ready" | "Deleting") =>
    Effect.forkChild(Effect.delay(service.setStatus(Fixtures.endpoint, status), "200 millis"))

  yield* service.setStatus(Fixtures.endpoint, "Provisioning")
  yield* later("Ready")
  yield* Console.log(yield* ready)

  yield* later("Deleting")
  yield* Waiting.watch(Fixtures.endpoint, { every }).pipe(
    Stream.takeUntil(({ status }) => status === "Deleting"),
    Stream.runForEach(({ status }) => Console.log(`watching: ${status}`))
  )
  yield* Console.log(yield* ready)
})

await Effect.runPromise(program.pipe(Effect.provide(InMemoryTransport.layerTest(Fixtures.seed))))
