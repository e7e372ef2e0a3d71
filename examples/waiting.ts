/**
 * Waiting for the state of an endpoint: `waitUntil` returns the endpoint once it has a status, `watch` is a stream of its
 * changes. What ends either: docs/reliability.md.
 */
import { CloudManagement, Credentials, Waiting } from "@cloud-management/core"
import { Fixtures } from "@cloud-management/testing"
import { Console, Effect, Layer, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

const params = {
  organizationId: Fixtures.acme,
  serviceId: Fixtures.analytics,
  reversePrivateEndpointId: Fixtures.pendingEndpoint
}

/** Between two reads; without it 5 seconds. */
const every = "50 millis"

const ready = Waiting.waitUntil(params, {
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
  yield* Console.log(yield* ready)
  yield* Waiting.watch(params, { every }).pipe(
    Stream.takeUntil(({ status }) => status === "Deleting"),
    Stream.runForEach(({ status }) => Console.log(`watching: ${status}`))
  )
  yield* Console.log(yield* ready)
})

/** Stands for the service: the endpoint has the next status at each read, and keeps the last one. */
const service = Layer.sync(HttpClient.HttpClient, () => {
  const statuses = ["Provisioning", "Provisioning", "PendingAcceptance", "Ready", "Ready", "Deleting"]
  return HttpClient.make((request) =>
    Effect.sync(() => {
      const status = statuses.length > 1 ? statuses.shift() : statuses[0]
      const result = { id: Fixtures.pendingEndpoint, status, dnsNames: ["events.example.com"] }
      return HttpClientResponse.fromWeb(request, Response.json({ status: 200, requestId: "req-1", result }))
    })
  )
})

const layer = CloudManagement.layer({
  baseUrl: "http://in-memory",
  credentials: Credentials.make("key-id", "key-secret")
}).pipe(Layer.provide(service))

await Effect.runPromise(program.pipe(Effect.provide(layer)))
