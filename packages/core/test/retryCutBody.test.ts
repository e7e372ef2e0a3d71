import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/core/Credentials"
import * as Faults from "@cloud-management/testing/Faults"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import * as Timeline from "./Timeline.ts"

const { Stall, Status, Truncate } = Faults.Fault

describe("a wait that the head of an answer asks for", () => {
  const cases: ReadonlyArray<readonly [name: string, status: number, fault: Faults.Fault, elapsed: number]> = [
    ["when its body breaks off", 503, Truncate({ bytes: 1 }), 7000],
    ["when its body stalls", 503, Stall({ bytes: 1 }), 17_000],
    ["when the body of a success breaks off", 200, Truncate({ bytes: 1 }), 7000],
    ["when the body of a success stalls", 200, Stall({ bytes: 1 }), 17_000]
  ]
  it.effect.each(cases)("is kept %s", ([, status, fault, expected]) =>
    Effect.gen(function* () {
      const answer = Status({ status, headers: { "retry-after": "7" }, body: "{}" })
      const transport = InMemoryTransport.layer(Fixtures.seed).pipe(Faults.inject([answer]), Faults.inject([fault]))
      const context = yield* Layer.build(
        CloudManagement.layer({
          baseUrl: "http://in-memory",
          credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
        }).pipe(Layer.provide(transport))
      )
      const timeline = yield* Timeline.make
      const cloud = Context.get(context, CloudManagement.CloudManagement)
      const { elapsed, exit } = yield* timeline.run(cloud.organizations.list())
      expect(exit).toMatchObject({ _tag: "Success" })
      expect(elapsed).toBe(expected)
    }).pipe(Random.withSeed("a wait shorter than asked for"))
  )
})
