import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type AccessLog, HttpRequest, Service } from "@cloud-management/service"
import type { Store } from "@cloud-management/service/Store"
import { basic, endpointPath, served } from "./Served.ts"

const start = Effect.gen(function* () {
  const entries: Array<AccessLog.Entry> = []
  const reached = yield* Deferred.make<void>()
  const slow = (inner: Store["Service"]): Partial<Store["Service"]> => ({
    reversePrivateEndpoint: (...path) =>
      Deferred.succeed(reached, undefined).pipe(
        Effect.andThen(Effect.sleep("1 second")),
        Effect.andThen(inner.reversePrivateEndpoint(...path))
      )
  })
  const accessLog: AccessLog.Recorder = (entry) => Effect.sync(() => void entries.push(entry))
  const context = yield* Layer.build(served({ accessLog }, slow))
  const request = HttpRequest.fromWeb(
    new Request(`http://service${endpointPath()}`, { headers: { authorization: basic() } }),
    "::ffff:192.0.2.1"
  )
  const fiber = yield* Effect.forkChild(
    Effect.provide(
      Service.Service.use(({ handle }) => handle(request)),
      context
    )
  )
  yield* Deferred.await(reached)
  return { drain: Context.get(context, Service.Service).drain, entries, fiber }
})

describe("the access log of a service", () => {
  it.effect.each<[what: string, drains: boolean, status: number | undefined]>([
    ["no status of a request that the end of the service cut off", true, undefined],
    ["a caller that left before its response", false, 499]
  ])("has %s", function* ([, drains, status]) {
    const { drain, entries, fiber } = yield* start
    if (drains) yield* drain
    yield* TestClock.adjust("250 millis")
    yield* Fiber.interrupt(fiber)
    const address = "192.0.2.1"
    expect(entries).toMatchObject([{ time: 250, status, bytes: 0, durationMillis: 250, address, keyId: undefined }])
  })

  const raise = () => {
    throw new Error("the disk is full")
  }
  it.effect.each<[how: string, receive: () => Effect.Effect<void>]>([
    ["die", () => Effect.die(new Error("the disk is full"))],
    ["throw", raise],
    // @ts-expect-error: of a program without types
    ["return no Effect", async () => {}]
  ])("fails no request, nor does the audit, if they %s", function* ([, receive]) {
    const context = yield* Layer.build(served({ accessLog: receive, audit: receive }))
    const request = HttpRequest.fromWeb(new Request("http://service/v1/organizations"), undefined)
    const { status } = yield* Context.get(context, Service.Service).handle(request)
    expect(status).toBe(401)
  })
})
