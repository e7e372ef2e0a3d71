import { assert, describe, expect, expectTypeOf, it } from "@effect/vitest"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as Client from "@cloud-management/core/Client"
import { InvalidInput, type CloudError, type ClientReason, type Refused } from "@cloud-management/core/CloudError"
import * as Operation from "@cloud-management/core/Operation"
import { operations } from "@cloud-management/core/Operations"
import { OrganizationId } from "@cloud-management/core/Organization"
import * as Echo from "@cloud-management/testing/Echo"
import { over } from "./Stub.ts"

const organizationId = OrganizationId.make("11111111-1111-4111-8111-111111111111")
const { create } = Echo.operations.echo
const created = { name: "x", count: 1 }

const envelope = (result: unknown) => Response.json({ status: 200, requestId: "req-1", result })

/** A client of the registry over answers in their order; `requests` are those it sent. */
const connect = (...answers: ReadonlyArray<Response | "refused">) =>
  over(
    Echo.registry,
    answers.map((answer) =>
      answer === "refused"
        ? () => Effect.fail(Object.assign(new Error(), { code: "ECONNREFUSED" }))
        : () => Effect.succeed(answer.clone())
    )
  )

/** Runs a call while the clock goes on, so that its waits end. */
const finish = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(call)
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

describe("a client of one's own registry", () => {
  it.effect("has the methods of the registry, and those of ours", () =>
    Effect.gen(function* () {
      const { client: cloud } = yield* connect(envelope([{ id: organizationId }]))
      expect(Object.keys(cloud)).toEqual([...Object.keys(Echo.registry), "exchange", "execute"])
      expect(Object.keys(cloud.echo)).toEqual(Object.keys(Echo.registry.echo))
      expect(yield* cloud.organizations.list()).toEqual([{ id: organizationId }])
    })
  )

  it("infers input, result and reasons from the operation", () => {
    type Cloud = Client.Client<typeof Echo.registry>
    expectTypeOf<Parameters<Cloud["echo"]["json"]>>().toEqualTypeOf<
      [
        input: {
          readonly payload: {
            readonly text: string
            readonly number: number
            readonly at: DateTime.Utc
            readonly list: ReadonlyArray<string | null>
            readonly absent?: string
          }
        }
      ]
    >()
    expectTypeOf<ReturnType<Cloud["echo"]["create"]>>().toEqualTypeOf<
      Effect.Effect<Readonly<typeof created>, CloudError<Operation.Refusals<typeof create> | ClientReason>>
    >()
    // every part of the query is optional, and so is the query
    expectTypeOf<[{}]>().toExtend<Parameters<Cloud["echo"]["query"]>>()
    expectTypeOf<ReturnType<Cloud["echo"]["text"]>>().toExtend<Effect.Effect<string, unknown>>()
    expectTypeOf<ReturnType<Cloud["echo"]["bytes"]>>().toExtend<Effect.Effect<Uint8Array, unknown>>()
    expectTypeOf<ReturnType<Cloud["echo"]["delete"]>>().toExtend<Effect.Effect<void, unknown>>()
  })
})

describe("a request carries", () => {
  it.effect("the client's key, whatever header has its idempotency key", () =>
    Effect.gen(function* () {
      const { client: cloud, requests } = yield* connect(envelope(created))
      const once = Operation.make({ ...create, repeat: Operation.idempotencyKey("Authorization") })
      yield* cloud.execute(once, { payload: { name: "a" } })
      expect(requests[0]?.headers["authorization"]).toBe(`Basic ${btoa("key-id:key-secret")}`)
      const other = Operation.make({ ...create, repeat: Operation.idempotencyKey("X-Request-Token") })
      yield* cloud.execute(other, { payload: { name: "a" } })
      expect(requests[1]?.headers["x-request-token"]).toMatch(/^[0-9a-f]{32}$/)
    })
  )

  it.effect.each<
    [
      what: string,
      call: (cloud: Client.Client<typeof Echo.registry>) => Effect.Effect<unknown, CloudError<ClientReason | Refused>>,
      problem: string
    ]
  >([
    [
      "a line break in a header",
      ({ echo }) => echo.headers({ headers: { "x-echo": "1\r\nx: y" } }),
      "headers.x-echo: printable ASCII without a space at either end"
    ],
    [
      "a space at the end of a header, which some platforms take away",
      ({ echo }) => echo.headers({ headers: { "x-echo": "1 " } }),
      "headers.x-echo: printable ASCII without a space at either end"
    ],
    [
      "half of a surrogate pair in a query",
      ({ echo }) => echo.query({ query: { text: "\ud800" } }),
      "query.text: no unpaired surrogate"
    ],
    [
      "half of a surrogate pair in a form",
      ({ echo }) => echo.form({ payload: { text: "\ud800" } }),
      "payload.text: no unpaired surrogate"
    ]
  ])("never %s: a failure, and nothing is sent", ([, call, problem]) =>
    Effect.gen(function* () {
      const { client: cloud, requests } = yield* connect(envelope(created))
      const { outcome, reason } = yield* Effect.flip(call(cloud))
      expect(outcome).toBe("not-sent")
      assert(reason instanceof InvalidInput)
      expect(`${reason.path}: ${reason.message.replace(/^\w+: Expected | at \[.*$/g, "")}`).toBe(problem)
      expect(requests).toEqual([])
    })
  )
})

describe("exchange", () => {
  it.effect("returns the value with status, headers, request ID and attempts", () =>
    Effect.gen(function* () {
      const { client: cloud } = yield* connect(
        "refused",
        Response.json({ result: created }, { status: 201, headers: { "x-request-id": "req-9", etag: '"2"' } })
      )
      const exchange = yield* finish(cloud.exchange(create, { payload: { name: "x" } }))
      expect(exchange).toMatchObject({
        status: 201,
        requestId: "req-9",
        attempts: 2,
        value: { requestId: "req-9", result: created }
      })
      expect(exchange.headers["etag"]).toBe('"2"')
    })
  )

  it.effect("has the request ID of the envelope, if that has one", () =>
    Effect.gen(function* () {
      const answer = Response.json({ result: created, requestId: "req-1" }, { headers: { "x-request-id": "req-9" } })
      const { client: cloud } = yield* connect(answer)
      const { requestId } = yield* cloud.exchange(create, { payload: { name: "x" } })
      expect(requestId).toBe("req-1")
    })
  )
})

it("an operation without input takes none, or an empty object", () => {
  type List = Client.Client<typeof operations>["organizations"]["list"]
  expectTypeOf<[]>().toExtend<Parameters<List>>()
  expectTypeOf<[{}]>().toExtend<Parameters<List>>()
  expectTypeOf<Operation.Arguments<typeof operations.organizations.list>>().toEqualTypeOf<Parameters<List>>()
  const wrong = (list: List, execute: Client.Calls["execute"]) => [
    // @ts-expect-error a text is no input
    list("x"),
    // @ts-expect-error nor is a number
    list(1),
    // @ts-expect-error no field is known
    list({ organizationId }),
    // @ts-expect-error a text is no input
    execute(operations.organizations.list, "x")
  ]
  expect(wrong).toHaveLength(2)
})
