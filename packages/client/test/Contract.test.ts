import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Duration, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { HttpClient } from "effect/http"
import { HttpApi, HttpApiClient, type HttpApiGroup, OpenApi } from "effect/http-api"
import { Body, CallError, Operation, Refusal, Wire } from "@cloud-management/client"
import * as Contract from "@cloud-management/client/Contract"
import { Api } from "@cloud-management/core/Contract"
import {
  deleteApiKey,
  getReversePrivateEndpoint,
  listOrganizations,
  operations
} from "@cloud-management/core/Operations"
import { readFileSync } from "node:fs"
import { connect, credentials, endpointIds, keyIds, over, registry as all, success, transport } from "./Stub.ts"

const endpoints: Array<{
  readonly group: string
  readonly name: string
  readonly method: string
  readonly path: string
}> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) =>
    endpoints.push({ group: group.identifier, name: endpoint.identifier, method: endpoint.method, path: endpoint.path })
})

describe("the contract", () => {
  it("1: has the operations of docs/specification.md, each with a statement, and no other", () => {
    const text = readFileSync(new URL("../../../docs/specification.md", import.meta.url), "utf8")
    const statements = Array.from(
      text.matchAll(/^- \*\*[^*]+\*\* ([A-Z]+) `(\/v1[^`]*)`/gm),
      ([, method, path]) => `${method} ${path}`
    )
    const requests = all.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
    const lacks = requests.filter((request) => !statements.includes(request))
    expect(lacks.map((request) => `${request}: write a statement for it in docs/specification.md`)).toEqual([])
    expect(statements.filter((statement) => !requests.includes(statement))).toEqual([])
  })

  it("6: has no events, callbacks or notifications: an HttpApi of exactly these operations", () => {
    const expected = all.map(({ group, method, name, path }) => ({ group, name, method, path }))
    expect(endpoints).toHaveLength(expected.length)
    expect(endpoints).toEqual(expect.arrayContaining(expected))
    expect(OpenApi.fromApi(Api)).not.toHaveProperty("webhooks")
  })

  it("9: has the prefix /v1 on every path", () => {
    expect(all.filter(({ path }) => !path.startsWith("/v1/"))).toEqual([])
  })

  it("9: marks the endpoint read as beta, and nothing else, and nothing as deprecated", () => {
    const specified = [listOrganizations, deleteApiKey, getReversePrivateEndpoint]
    expect(specified.map(({ annotations }) => annotations.stability)).toEqual(["stable", "stable", "beta"])
    const marks = Object.values(OpenApi.fromApi(Api).paths).flatMap((path) =>
      Object.values(path).map((operation) => {
        const mark = JSON.parse(JSON.stringify(operation))
        return `${mark.operationId}: ${mark["x-stability"]}, ${mark.deprecated ?? "not deprecated"}`
      })
    )
    expect(marks.sort()).toEqual(
      all
        .map(
          ({ annotations, group, name }) => `${group}.${name}: ${String(annotations?.["stability"])}, not deprecated`
        )
        .sort()
    )
  })
})

const derived = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  respond: () => Response,
  api: HttpApi.HttpApi<Id, Groups>
) => {
  const { http, requests } = transport([() => Effect.sync(respond)])
  return HttpApiClient.make(api, { baseUrl: "https://api.example.com" }).pipe(
    Effect.map((client) => ({ client, requests })),
    Effect.provideService(HttpClient.HttpClient, http),
    Effect.provide(Contract.layerAuthorization(credentials))
  )
}

describe("a client derived from the contract", () => {
  const things = { group: "things", method: "GET", path: "/v1/things" } as const

  it.effect("has the target of a redirect as its value", function* () {
    const find = Operation.make({ ...things, name: "find", success: Body.redirect(302), errors: [] })
    const respond = () => new Response(null, { status: 302, headers: { location: "/elsewhere" } })
    const { client } = yield* derived(respond, Contract.make({ things: { find } }))
    const { cloud } = yield* connect(respond)
    expect(yield* client.things.find()).toBe("/elsewhere")
    expect(yield* cloud.execute(find, {})).toBe("/elsewhere")
  })

  it.effect("has lists and objects in a path as the client has them", function* () {
    const params = Schema.Struct({
      ids: Wire.exploded(Schema.Array(Schema.String), "."),
      color: Wire.exploded(Schema.Struct({ r: Schema.String, g: Schema.String }), ".")
    })
    const find = Operation.make({
      ...things,
      path: "/v1/things/.:ids/.:color",
      name: "find",
      params,
      success: Body.empty,
      errors: []
    })
    const respond = () => new Response(null, { status: 204 })
    const { client, requests } = yield* derived(respond, Contract.make({ things: { find } }))
    yield* client.things.find({ params: { ids: ["1", "2"], color: { r: "3", g: "4" } } })
    expect(requests.map(({ url }) => decodeURIComponent(url))).toEqual([
      "https://api.example.com/v1/things/.1.2/.r=3.g=4"
    ])
  })

  it.effect("has no body where a refusal's status alone says it, nor has the document", function* () {
    class Locked extends CallError.refusal("Locked", 423, Refusal.status) {}
    const open = Operation.make({ ...things, name: "open", success: Body.empty, errors: [Locked] })
    const api = Contract.make({ things: { open } })
    const { client } = yield* derived(() => new Response(null, { status: 423, headers: { "retry-after": "2" } }), api)
    const error = yield* Effect.flip(client.things.open())
    expect(error).toBeInstanceOf(Locked)
    expect(error).toMatchObject({ message: "HTTP 423", retryAfter: Duration.seconds(2) })
    expect(OpenApi.fromApi(api).paths["/v1/things"]?.get?.responses[423]).not.toHaveProperty("content")
  })

  it.effect("sends the same requests as the client, and reads the same responses", function* () {
    const list = () => Response.json(success["organizations.list"])
    const get = () => Response.json(success["reversePrivateEndpoints.get"])
    const ours = (respond: () => Response) => over(operations, [() => Effect.sync(respond)])
    const [own, other] = [yield* ours(list), yield* derived(list, Api)]
    const [ownGet, otherGet] = [yield* ours(get), yield* derived(get, Api)]

    expect(yield* other.client.organizations.list()).toEqual(yield* own.client.execute(listOrganizations, {}))
    expect(yield* other.client.apiKeys.delete({ params: keyIds })).toEqual(
      yield* own.client.execute(deleteApiKey, keyIds)
    )
    expect(yield* otherGet.client.reversePrivateEndpoints.get({ params: endpointIds })).toEqual(
      yield* ownGet.client.execute(getReversePrivateEndpoint, endpointIds)
    )
    const wire = (requests: typeof own.requests) =>
      requests.map(({ headers, method, url }) => [method, url, headers["authorization"]])
    expect(wire([...other.requests, ...otherGet.requests])).toEqual(wire([...own.requests, ...ownGet.requests]))
  })

  it.effect.each<[retryAfter: string, headers: Readonly<Record<string, string>>]>([
    ["a date", { "retry-after": "Wed, 21 Oct 2026 12:00:09 GMT", date: "Wed, 21 Oct 2026 12:00:00 GMT" }],
    ["a date, by the clock", { "retry-after": "Wed, 21 Oct 2026 12:00:09 GMT" }],
    ["nothing", {}]
  ])("reads %s in Retry-After as the client does", function* ([, headers]) {
    yield* TestClock.setTime(Date.UTC(2026, 9, 21, 11, 59, 59))
    const body = { status: 429, error: "TOO_MANY_REQUESTS: slow down", requestId: "req-123" }
    const respond = () => Response.json(body, { status: 429, headers })
    const [{ cloud }, { client }] = [yield* connect(respond), yield* derived(respond, Api)]
    const { reason } = yield* Effect.flip(cloud.apiKeys.delete(keyIds))
    expect(yield* Effect.flip(client.apiKeys.delete({ params: keyIds }))).toEqual(reason)
  })
})
