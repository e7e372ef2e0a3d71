import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Body from "@cloud-management/core/Body"
import * as CloudError from "@cloud-management/core/CloudError"
import * as Operation from "@cloud-management/core/Operation"
import * as Input from "../src/internal/input.ts"

const post = Operation.make({
  group: "words",
  name: "post",
  method: "POST",
  path: "/words",
  summary: "Post words",
  stability: "beta",
  errors: CloudError.commonRefusals,
  scope: "key",
  repeat: "not-idempotent",
  payload: Body.form(Schema.Struct({ a: Schema.Array(Schema.String), b: Schema.String })),
  success: Body.empty
})

it.effect("a name that a form repeats costs as much each time: a copy for each would take minutes here", () =>
  Effect.gen(function* () {
    const decode = Input.compile(post)
    const body = new TextEncoder().encode(`${"a=1&".repeat(300_000)}b=2`)
    const { payload } = Schema.decodeUnknownSync(
      Schema.Struct({ payload: Schema.Struct({ a: Schema.Array(Schema.String), b: Schema.String }) })
    )(yield* decode({ params: {}, target: "/words", headers: {}, body }))
    expect(payload.a).toHaveLength(300_000)
    expect(payload.b).toBe("2")
  })
)
