import { describe, expect, it } from "@effect/vitest"
import type * as Event from "@cloud-management/core/Event"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as CloudError from "@cloud-management/core/CloudError"
import * as Envelope from "@cloud-management/core/Envelope"
import * as Operation from "@cloud-management/core/Operation"
import { getReversePrivateEndpoint } from "@cloud-management/core/Operations"
import { connect, endpointIds, keyIds, success } from "./Stub.ts"

const origin = "https://api.example.com"

/** A tag of a resource: an operation that is nowhere in the specification, with a parameter that is any text. */
const getTag = Operation.make({
  group: "tags",
  name: "get",
  method: "GET",
  path: "/v1/tags/:tag/versions/:version",
  params: Schema.Struct({ tag: Schema.String, version: Schema.FiniteFromString }),
  success: Envelope.withResult(Schema.Struct({ value: Schema.String })),
  errors: CloudError.commonRefusals
})

describe("an operation of one's own", () => {
  it.effect("4.3: is that of the specification with another path segment", () =>
    Effect.gen(function* () {
      const getEndpoint = Operation.make({
        ...getReversePrivateEndpoint,
        path: "/v1/organizations/:organizationId/services/:serviceId/otherPrivateEndpoints/:reversePrivateEndpointId"
      })
      const { cloud, requests } = yield* connect(() => Response.json(success["reversePrivateEndpoints.get"]))
      expect(yield* cloud.execute(getEndpoint, endpointIds)).toEqual(success["reversePrivateEndpoints.get"])
      expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
        `GET ${origin}/v1/organizations/${endpointIds.organizationId}/services/${endpointIds.serviceId}` +
          `/otherPrivateEndpoints/${endpointIds.reversePrivateEndpointId}`
      ])
    })
  )

  it.effect("has its own parameters, result and name in an error", () =>
    Effect.gen(function* () {
      const { cloud, requests } = yield* connect(({ url }) =>
        url.endsWith("/1.5")
          ? Response.json({ status: 200, result: { value: "x" } })
          : new Response(null, { status: 418 })
      )
      expect(yield* cloud.execute(getTag, { tag: "blue", version: 1.5 })).toEqual({
        status: 200,
        result: { value: "x" }
      })
      const error = yield* Effect.flip(cloud.execute(getTag, { tag: "blue", version: 2 }))
      expect(error).toMatchObject({
        operation: "tags.get",
        method: "GET",
        path: "/v1/tags/:tag/versions/:version",
        status: 418
      })
      expect(requests.map(({ url }) => url)).toEqual([
        `${origin}/v1/tags/blue/versions/1.5`,
        `${origin}/v1/tags/blue/versions/2`
      ])
    })
  )

  it.effect.each<[tag: string, problem: string]>([
    ["", "non-empty text, not . or .."],
    [".", "non-empty text, not . or .."],
    ["..", "non-empty text, not . or .."],
    ["\ud800", "no unpaired surrogate"]
  ])("never sends %j as a segment of the path", ([tag, problem]) =>
    Effect.gen(function* () {
      const { cloud, requests } = yield* connect(() => Response.json({ status: 200, result: { value: "x" } }))
      const { outcome, reason } = yield* Effect.flip(cloud.execute(getTag, { tag, version: 1 }))
      expect(reason).toBeInstanceOf(CloudError.InvalidInput)
      expect({ message: reason.message, path: Reflect.get(reason, "path"), outcome }).toEqual({
        message: `Expected ${problem} at ["tag"]`,
        path: "tag",
        outcome: "not-sent"
      })
      expect(requests).toEqual([])
    })
  )
})

/** Of programs without types too. */
const faulty: Readonly<Record<string, (event: Event.Event) => unknown>> = {
  dies: () => Effect.die("a listener with a fault"),
  throws: () => {
    throw new Error("a listener with a fault")
  },
  "returns no Effect": async () => {}
}

it.effect.each(Object.entries(faulty))(
  "a listener that %s fails no call, and keeps nothing from the other one",
  ([, metrics]) =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const listeners: object = { metrics, log: ({ _tag }: Event.Event) => Effect.sync(() => logged.push(_tag)) }
      const { cloud } = yield* connect(() => Response.json({ status: 200 }), listeners)
      yield* cloud.apiKeys.delete(keyIds)
      expect(logged).toEqual(["AttemptEnded", "CallEnded"])
    })
)
