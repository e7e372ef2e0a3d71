import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Deadline from "@cloud-management/core/Deadline"
import type * as Event from "@cloud-management/core/Event"
import * as Pacing from "@cloud-management/core/Pacing"
import * as Faults from "@cloud-management/testing/Faults"
import { connect, ending, play } from "./Scripted.ts"
import * as Timeline from "./Timeline.ts"

it.effect("a turn that comes at the very end of a call's time is not taken: nothing is sent after the deadline", () =>
  Effect.gen(function* () {
    const { cloud, sent } = yield* connect([Faults.Fault.Hang()], { pacing: Pacing.adaptive })
    const timeline = yield* Timeline.make
    // nothing is known of a limit yet: the others wait one second for the first answer, and then go
    const first = Effect.asVoid(Effect.exit(cloud.organizations.list()))
    const second = cloud.organizations.list().pipe(Deadline.within({ total: "1 second" }), Effect.exit)
    const { exit } = yield* timeline.run(
      Effect.gen(function* () {
        yield* Effect.forkChild(first, { startImmediately: true })
        return yield* Effect.flatten(second)
      })
    )
    expect(ending(exit)).toBe("Throttled not-sent")
    expect(sent).toEqual([0])
  })
)

it.effect("a retry whose turn would come after the deadline is not paid for", () =>
  Effect.gen(function* () {
    const events: Array<Event.Event> = []
    const played = yield* play([Faults.Fault.Status({ status: 503 })], {
      pacing: Pacing.fixed({ limit: 1, window: "10 seconds" }),
      deadline: { total: "5 seconds" },
      log: (event) => Effect.sync(() => void events.push(event))
    })
    expect(played.ending).toBe("Throttled unknown")
    expect(played.sent).toEqual([0])
    expect(events.flatMap((event) => ("tokens" in event ? [[event._tag, event.tokens]] : []))).toEqual([
      ["Retrying", 495],
      ["BudgetRefilled", 500]
    ])
  })
)
