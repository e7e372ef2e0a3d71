import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Arbitrary, Effect, Schema } from "effect"
import { Credentials, Operation } from "@cloud-management/client"
import { operations } from "@cloud-management/core/Operations"
import { call, connect, endpointIds, ids, idsOf, keyIds, printable, registry, seeded, success } from "./Stub.ts"

const responded = (name: string) => () => Response.json(success[name])

const onTheWire = (request: Request) => ({
  method: request.method,
  url: request.url,
  headers: Object.fromEntries(request.headers),
  body: request.body
})

const origin = "https://api.example.com"
const organization = `/v1/organizations/${ids.organizationId}`

describe("the request of an operation", () => {
  it.effect.each<[title: string, operation: Operation.Any, path: string]>([
    [
      "4.1: GET /v1/organizations, without parameters, query and body",
      operations.organizations.list,
      "/v1/organizations"
    ],
    [
      "4.2: DELETE /v1/organizations/{organizationId}/keys/{keyId}, without query and body",
      operations.apiKeys.delete,
      `${organization}/keys/${ids.keyId}`
    ],
    [
      "4.3: GET /v1/organizations/{organizationId}/services/{serviceId}/pipesReversePrivateEndpoints/{reversePrivateEndpointId}, without query and body",
      operations.reversePrivateEndpoints.get,
      `${organization}/services/${ids.serviceId}/pipesReversePrivateEndpoints/${ids.reversePrivateEndpointId}`
    ]
  ])("%s", function* ([title, operation, path]) {
    const { cloud, requests } = yield* connect(responded(Operation.nameOf(operation)))
    yield* call(cloud, operation)
    expect(requests.map(onTheWire)).toEqual([
      {
        method: title.split(" ")[1],
        url: origin + path,
        headers: {
          accept: "application/json",
          "user-agent": "cloud-management/0.1.0",
          authorization: `Basic ${btoa("key-id:key-secret")}`
        },
        body: null
      }
    ])
  })

  it.effect("is sent where another library has given every object a property", function* () {
    const { cloud, requests } = yield* connect(responded("organizations.list"))
    // as libraries of old do
    Object.defineProperty(Object.prototype, "each", { value: "theirs", enumerable: true, configurable: true })
    yield* Effect.ensuring(
      cloud.organizations.list(),
      Effect.sync(() => Reflect.deleteProperty(Object.prototype, "each"))
    )
    expect(requests.map(({ url }) => url)).toEqual([`${origin}/v1/organizations`])
  })

  it.effect.each<[baseUrl: string, url: string]>([
    ["https://api.example.com", "https://api.example.com/v1/organizations"],
    ["https://api.example.com/", "https://api.example.com/v1/organizations"],
    ["https://api.example.com//", "https://api.example.com/v1/organizations"],
    ["https://api.example.com/cloud", "https://api.example.com/cloud/v1/organizations"],
    ["https://api.example.com/cloud/", "https://api.example.com/cloud/v1/organizations"],
    ["https://api.example.com/a/b//", "https://api.example.com/a/b/v1/organizations"],
    ["https://api.example.com/a%2Fb/ä", "https://api.example.com/a%2Fb/%C3%A4/v1/organizations"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/organizations"],
    ["http://[::1]:8080", "http://[::1]:8080/v1/organizations"],
    ["HTTPS://API.Example.com:443", "https://api.example.com/v1/organizations"],
    ["https://bücher.example", "https://xn--bcher-kva.example/v1/organizations"]
  ])("4: the base URL %s comes before /v1", function* ([baseUrl, url]) {
    const { cloud, requests } = yield* connect(responded("organizations.list"), { baseUrl })
    yield* cloud.organizations.list()
    expect(requests.map((request) => request.url)).toEqual([url])
  })

  it.effect("4.3: is that of the specification with another path segment", function* () {
    const getEndpoint = Operation.make({
      ...operations.reversePrivateEndpoints.get,
      path: "/v1/organizations/:organizationId/services/:serviceId/otherPrivateEndpoints/:reversePrivateEndpointId"
    })
    const { cloud, requests } = yield* connect(responded("reversePrivateEndpoints.get"))
    yield* cloud.execute(getEndpoint, endpointIds)
    expect(requests[0]?.url).toBe(
      `${origin}${organization}/services/${ids.serviceId}/otherPrivateEndpoints/${ids.reversePrivateEndpointId}`
    )
  })
})

describe("the Authorization header", () => {
  it.effect.prop(
    "5: carries key ID and secret as HTTP Basic in UTF-8, whatever they hold",
    { keyId: Arbitrary.map(printable(1), (text) => text.replaceAll(":", "_")), secret: printable(1) },
    function* ({ keyId, secret }) {
      const { cloud, requests } = yield* connect(responded("organizations.list"), {
        credentials: Credentials.make(keyId, secret)
      })
      yield* cloud.organizations.list()
      const [, encoded = ""] = /^Basic (\S+)$/.exec(requests[0]?.headers.get("authorization") ?? "") ?? []
      expect(Buffer.from(encoded, "base64").toString("utf8")).toBe(`${keyId}:${secret}`)
      expect(Buffer.from(encoded, "base64").toString("base64")).toBe(encoded)
    },
    seeded(200)
  )

  it.effect("5: goes with every request", function* () {
    const { cloud, requests } = yield* connect(() => Response.json({ status: 200 }))
    yield* Effect.forEach(registry, (operation) => Effect.exit(call(cloud, operation)))
    expect(requests.map(({ headers }) => headers.get("authorization"))).toEqual(
      registry.map(() => `Basic ${btoa("key-id:key-secret")}`)
    )
  })
})

/** schemas.test.ts shows which IDs are valid; here that each one is looked at. */
const notUuids: ReadonlyArray<unknown> = ["..", `${ids.keyId}\n`, undefined, [ids.keyId], { toString: () => ids.keyId }]

const parameters = registry.flatMap((operation) =>
  Array.from(operation.path.matchAll(/:(\w+)/g), ([, parameter = ""]) => ({ operation, parameter }))
)

describe("an ID that is not a UUID", () => {
  for (const { operation, parameter } of parameters) {
    const name = Operation.nameOf(operation)
    const refused = Effect.fnUntraced(function* (value: unknown) {
      const { cloud, requests } = yield* connect(responded("apiKeys.delete"))
      const execute = cloud.execute<Operation.Any>
      const error = yield* Effect.flip(execute(operation, { ...idsOf(operation), [parameter]: value }))
      expect(requests).toEqual([])
      expect(error).toMatchObject({ outcome: "not-sent", attempts: 0, isRetryable: false, operation: name })
      // the field and its rule, never the value
      expect(error.reason).toMatchObject({ _tag: "InvalidInput", path: parameter })
      expect(error.reason.message).toMatch(new RegExp(`^(Expected|Missing)[\\w ().-]+ at \\["${parameter}"\\]$`))
    })

    it.effect.each(notUuids)(`never leaves as ${parameter} of ${name}: %j`, refused)

    it.effect.prop(
      `never leaves as ${parameter} of ${name}, whatever text it is`,
      [Schema.String],
      ([value]) => refused(value),
      seeded(50)
    )
  }

  it.effect("is rejected when there are no parameters at all", function* () {
    const { cloud, requests } = yield* connect(responded("apiKeys.delete"))
    for (const params of [undefined, null, {}, "x"]) {
      const error = yield* Effect.flip(cloud.apiKeys.delete(params as unknown as typeof keyIds))
      expect(error).toMatchObject({ outcome: "not-sent", reason: { _tag: "InvalidInput" } })
    }
    expect(requests).toEqual([])
  })
})
