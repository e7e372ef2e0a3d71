import { Child, expect, it } from "../../../checks/fixtures/index.ts"
import { Deferred, Effect, Fiber, Option } from "effect"
import { TestConsole } from "effect/testing"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { join } from "node:path"
import { OrganizationId } from "@cloud-management/core/Organization"
import { StoreUnavailable } from "@cloud-management/service/KeyStore"
import * as Format from "../src/output/Format.ts"
import * as Logging from "../src/output/Logging.ts"
import * as Session from "../src/admin/session.ts"

const organizationId = OrganizationId.make("a0000000-0000-4000-8000-000000000001")

const within =
  (file: string) =>
  <A, E>(act: Effect.Effect<A, E, Effect.Services<ReturnType<typeof Session.change>>>) =>
    act.pipe(
      Effect.provideService(Session.Database, Option.some(file)),
      Effect.provideService(Logging.LogFormat, Option.some("json" as const)),
      Effect.provideService(Format.Quiet, false),
      Effect.provide(NodeFileSystem.layer)
    )

it.effect("a change that is interrupted once it is made is recorded all the same", function* () {
  const file = join(yield* Child.folder(), "cloud.db")
  const made = yield* Deferred.make<void>()
  const left = yield* Deferred.make<void>()
  const use = () => Effect.andThen(Deferred.succeed(made, undefined), Deferred.await(left))
  const fiber = yield* Session.change("organization.created", { organizationId }, use, true).pipe(
    within(file),
    Effect.forkChild
  )
  yield* Deferred.await(made)
  const interruption = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
  yield* Deferred.succeed(left, undefined)
  yield* Fiber.join(interruption)
  expect((yield* TestConsole.errorLines).join()).toContain('"audit":"organization.created"')
})

it.effect("a change that the database did not confirm is recorded as such", function* () {
  const file = join(yield* Child.folder(), "cloud.db")
  const use = () => Effect.fail(new StoreUnavailable({ cause: "the reply to COMMIT was lost" }))
  const failure = yield* Session.change("organization.created", { organizationId }, use, true).pipe(
    within(file),
    Effect.flip
  )
  expect(failure).toMatchObject({ tag: "DatabaseUnavailable" })
  const [line = "{}", ...more] = yield* TestConsole.errorLines
  expect(more).toEqual([])
  expect(JSON.parse(String(line))).toMatchObject({ audit: "act.unconfirmed", act: "organization.created" })
})

it.effect("an act that meets a full disk names it; only a change is in doubt", function* () {
  const file = join(yield* Child.folder(), "cloud.db")
  const full = Effect.fail(new StoreUnavailable({ cause: new Error("database or disk is full") }))
  const change = (act: Effect.Effect<void, StoreUnavailable>) =>
    within(file)(Session.change("organization.created", {}, () => act, true))
  yield* change(Effect.void)
  const message = `--database (CLOUD_MANAGEMENT_DATABASE): ${file}: database or disk is full`
  const advice = "Check that the disk has free space, and look for disk errors in the system's log."
  const unavailable = { tag: "DatabaseUnavailable", exit: "transient", retryable: true, message }
  expect(yield* Effect.flip(within(file)(Session.read(() => full)))).toMatchObject({ ...unavailable, advice })
  expect(yield* Effect.flip(change(full))).toMatchObject({
    ...unavailable,
    advice: `${advice}\nThe change may have been made: list the records to find out.`
  })
})
