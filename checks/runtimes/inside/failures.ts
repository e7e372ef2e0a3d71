/** The outcome of a deletion whose request fails, in whatever runtime this is. */
import { CloudManagement } from "@cloud-management/core"
import { type Client, Credentials, type Deadline } from "@cloud-management/client"
import { Fixtures } from "@cloud-management/testing"
import { Effect, Exit, Fiber, Layer, Record, Schedule, Schema } from "effect"
import { HttpClient } from "effect/http"
import { equal } from "../run.ts"

export const Plan = Schema.Struct({
  /** The origin of a `FailureHost`: that of the page, if this is one. */
  at: Schema.String,
  unknownHost: Schema.String,
  refused: Schema.String,
  distrusted: Schema.String,
  /** By failure: the tag of the reason, the outcome, and whether the request was sent again. */
  expected: Schema.Record(Schema.String, Schema.String)
})
export type Plan = typeof Plan.Type

export const calling = <A, E>(
  options: Pick<Client.Options, "baseUrl" | "deadline" | "retry">,
  call: (cloud: CloudManagement.CloudManagementClient) => Effect.Effect<A, E>
) => {
  const credentials = Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
  const layer = Layer.orDie(CloudManagement.layer({ credentials, ...options }))
  return Effect.provide(Effect.flatMap(CloudManagement.CloudManagement, call), layer)
}
const remove = (baseUrl: string, deadline: Partial<Deadline.Deadline> = {}) =>
  calling({ baseUrl, deadline, retry: { base: "1 milli" } }, (cloud) =>
    cloud.apiKeys.delete({ organizationId: Fixtures.acme, keyId: Fixtures.spareKeys.once.id })
  )

const ending = (baseUrl: string, deadline?: Partial<Deadline.Deadline>) =>
  Effect.map(
    Effect.flip(remove(baseUrl, deadline)),
    ({ attempts, outcome, reason }) => `${reason._tag}, ${outcome}, ${attempts > 1 ? "yes" : "no"}`
  )

const interrupted = (at: string) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const count = Effect.flatMap(client.get(`${at}/interrupted/count`), ({ text }) => text)
    const fiber = yield* Effect.forkChild(remove(`${at}/interrupted`))
    yield* Effect.repeat(count, { until: (count) => count === "1", schedule: Schedule.spaced("5 millis") })
    yield* Fiber.interrupt(fiber)
    const exit = yield* Fiber.await(fiber)
    return `${Exit.hasInterrupts(exit) ? "–, –" : exit._tag}, ${(yield* count) === "1" ? "no" : "yes"}`
  })

const offline = (baseUrl: string) =>
  Effect.acquireUseRelease(
    Effect.promise(() => globalThis.goOffline()),
    () => ending(baseUrl),
    () => Effect.promise(() => globalThis.goOnline())
  )

export const cases = ({ at, distrusted, expected, refused, unknownHost }: Plan) => {
  const endings: Readonly<Record<string, Effect.Effect<string, unknown, HttpClient.HttpClient>>> = {
    "unknown host": ending(unknownHost),
    "connection refused": ending(refused),
    "certificate refused": ending(distrusted),
    ...("goOffline" in globalThis && { "browser offline": offline(unknownHost) }),
    reset: ending(`${at}/reset`),
    "redirect 307": ending(`${at}/redirect-307`),
    "redirect 303": ending(`${at}/redirect-303`),
    "no response": ending(`${at}/silent`, { attempt: "100 millis" }),
    interruption: interrupted(at)
  }
  return Record.map({ ...expected, ...endings }, (_, name) =>
    Effect.flatMap(endings[name] ?? Effect.succeed("no such failure"), (actual) =>
      equal(actual, expected[name] ?? "no row")
    )
  )
}

declare global {
  var goOffline: () => Promise<void>
  var goOnline: () => Promise<void>
}
