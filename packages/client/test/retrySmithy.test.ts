/**
 * The six cases by which the AWS SDKs check their "standard" retry mode, with the numbers of its first edition (500
 * tokens, 5 a retry). Source: smithy-lang/smithy-kotlin, Apache-2.0,
 * runtime/runtime-core/jvm/test/aws/smithy/kotlin/runtime/retries/impl/StandardRetryIntegrationTestResources.kt.
 *
 * Where this client differs: it draws its first wait from up to 100 ms where they draw from up to 1 s (the policy here
 * says 1 s, and the dice always fall on the longest wait, as the cases ask). The second edition of the cases (2026: 14
 * tokens a retry, a first wait of up to 50 ms) is not followed.
 */
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Random } from "effect"
import { Retry } from "@cloud-management/client"
import { Faults, VirtualTime } from "@cloud-management/testing"
import { connect, ending, refusal } from "../../../checks/fixtures/Scripted.ts"

/** The response to each attempt, and then the tokens left, and the wait in seconds before the next attempt. */
type Step = readonly [status: number, quota: number, wait?: number]

interface Case {
  readonly name: string
  readonly attempts?: number
  readonly tokens?: number
  /** Seconds. */
  readonly cap?: number
  readonly steps: ReadonlyArray<Step>
}

const cases: ReadonlyArray<Case> = [
  {
    name: "a retry succeeds in the end",
    steps: [
      [500, 495, 1],
      [500, 490, 2],
      [200, 495]
    ]
  },
  {
    name: "attempts run out",
    steps: [
      [502, 495, 1],
      [502, 490, 2],
      [502, 490]
    ]
  },
  {
    name: "the quota is used up by one retry",
    tokens: 5,
    steps: [
      [500, 0, 1],
      [502, 0]
    ]
  },
  { name: "no retry without a quota", tokens: 0, steps: [[500, 0]] },
  {
    name: "waits grow exponentially",
    attempts: 5,
    steps: [
      [500, 495, 1],
      [500, 490, 2],
      [500, 485, 4],
      [500, 480, 8],
      [500, 480]
    ]
  },
  {
    name: "waits grow up to the longest",
    attempts: 5,
    cap: 3,
    steps: [
      [500, 495, 1],
      [500, 490, 2],
      [500, 485, 3],
      [500, 480, 3],
      [500, 480]
    ]
  }
]

/** Dice that always fall on the longest wait. */
const longest: Random.Random = { nextDoubleUnsafe: () => 1, nextIntUnsafe: () => Number.MAX_SAFE_INTEGER }

it.effect.each(cases)("$name", ({ attempts = 3, cap = 20, steps, tokens = 500 }) =>
  Effect.gen(function* () {
    /** Plays so many steps, the last of them at a moment in milliseconds, and then finds out how many tokens are left. */
    const play = Effect.fnUntraced(function* (count: number, last: number) {
      const timeline = VirtualTime.make()
      function* faults() {
        for (const [status] of steps.slice(0, count)) yield status === 200 ? Faults.Fault.None() : refusal(status)
        for (;;) yield refusal(500)
      }
      const budget = { ...Retry.standard.budget, capacity: tokens }
      const retry = { attempts, base: "1 second", cap: `${cap} seconds`, budget } as const
      const { cloud, sent } = yield* connect(faults(), { retry })
      const start = timeline.now()
      const call = yield* Effect.forkChild(timeline.on(cloud.organizations.list()))
      // every wait is longer than this
      yield* timeline.until(start + last + 500)
      const exit = call.pollUnsafe()
      const times = sent.map((at) => at - start)
      yield* timeline.run(cloud.organizations.list().pipe(Retry.within({ attempts: 1000, base: 0 })))
      // not before, since an interrupted call gives back what it paid for a retry that it did not send
      yield* Fiber.interrupt(call)
      return { ended: exit && ending(exit), times, quota: (sent.length - times.length - 1) * 5 }
    })

    let at = 0
    const due: Array<number> = []
    for (const [i, [status, quota, wait]] of steps.entries()) {
      due.push(at)
      const { ended, ...played } = yield* play(i + 1, at)
      expect(played).toEqual({ times: due, quota })
      if (wait !== undefined) expect(ended).toBe(undefined)
      else if (status === 200) expect(ended).toBe("ok")
      else expect(ended).toMatch(String(status))
      at += (wait ?? 0) * 1000
    }
  }).pipe(Effect.provideService(Random.Random, longest))
)
