import { expect, it } from "../../../checks/fixtures/vitest.ts"
import { Clock, Effect, Exit, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { VirtualTime } from "@cloud-management/testing"

/** Waits, and then reads bodies within a deadline, as a call does. */
const program = Effect.promise(async () => {
  let text = ""
  for (const part of "abcdef") text += await new Response(new Blob([part])).text()
  return text
}).pipe(Effect.timeoutOption("1 second"), Effect.delay("1 minute"))

it.effect("a deadline does not pass before a promise of the platform, as it does by TestClock", function* () {
  const ended = yield* VirtualTime.make().run(program)
  expect(ended).toEqual({ exit: Exit.succeed(Option.some("abcdef")), elapsed: 60_000 })
  const fiber = yield* Effect.forkChild(program)
  yield* TestClock.adjust("1 hour")
  expect(yield* Fiber.join(fiber)).toEqual(Option.none())
})

it.effect("the time of day jumps, and waits do not notice", function* () {
  const time = VirtualTime.make({ start: 1000 })
  const jumping = Effect.andThen(
    Effect.sync(() => time.jump(-500)),
    Effect.sleep("1 second")
  )
  const { elapsed, exit } = yield* time.run(Effect.andThen(jumping, Clock.currentTimeMillis))
  expect([exit, elapsed]).toEqual([Exit.succeed(1500), 1000])
})

it.effect("a program that waits for what no time brings dies, and leaves no sleep", function* () {
  const time = VirtualTime.make()
  const exit = yield* Effect.exit(time.run(Effect.andThen(Effect.sleep(1), Effect.never)))
  expect(String(exit)).toContain("waits for ever")
  expect([time.now(), time.sleeps()]).toEqual([1, 0])
})
