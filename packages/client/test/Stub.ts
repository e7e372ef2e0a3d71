import { Arbitrary, Effect, Record, Schema } from "effect"
import { type HttpBody, HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { Client, Credentials, type Operation, Retry } from "@cloud-management/client"
import type { CloudManagement } from "@cloud-management/core"
import { operations } from "@cloud-management/core/Operations"
import { OrganizationId } from "@cloud-management/core/Organization"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"

export type Respond = (request: Request) => Response | Promise<Response>

export const credentials = Credentials.make("key-id", "key-secret")

export const textOf = (body: HttpBody.HttpBody) => body._tag === "Uint8Array" && new TextDecoder().decode(body.body)

/** Responds to one request; a failure is the cause of a broken connection. */
export type Reply = (request: HttpClientRequest.HttpClientRequest, url: URL) => Effect.Effect<Response, unknown>

/** A transport over responses in their order, the last one for ever, for which nothing but the clock is waited. */
export const transport = (responses: ReadonlyArray<Reply>) => {
  const requests: Array<HttpClientRequest.HttpClientRequest> = []
  const http = HttpClient.make((request, url) => {
    const respond =
      responses[Math.min(requests.push(request), responses.length) - 1] ?? (() => Effect.die("no response"))
    return Effect.mapBothEager(respond(request, url), {
      onSuccess: (response) => HttpClientResponse.fromWeb(request, response),
      onFailure: (cause) =>
        new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
    })
  })
  return { http, requests }
}

export const over = <const R extends Client.Registry>(
  registry: Client.Consistent<R>,
  responses: ReadonlyArray<Reply>,
  options: Partial<Client.Options> = {}
) => {
  const { http, requests } = transport(responses)
  return Client.make(registry, { baseUrl: "https://api.example.com", credentials, ...options }).pipe(
    Effect.provideService(HttpClient.HttpClient, http),
    Effect.map((client) => ({ client, requests }))
  )
}

/** A client over one response to all requests, and what it put on the wire so far. One attempt a call, unless an option says otherwise. */
export const connect = (respond: Respond, options: Partial<Client.Options> = {}) => {
  const requests: Array<Request> = []
  const reply: Reply = (sent) =>
    Effect.flatMap(HttpClientRequest.toWeb(sent), (request) => {
      requests.push(request)
      return Effect.catchDefect(
        Effect.promise(async () => respond(request)),
        Effect.fail
      )
    })
  return Effect.map(over(operations, [reply], { retry: Retry.none, ...options }), ({ client: cloud }) => ({
    cloud,
    requests
  }))
}

export const ids = {
  organizationId: OrganizationId.make("11111111-1111-4111-8111-111111111111"),
  keyId: ApiKeyId.make("22222222-2222-4222-8222-222222222222"),
  serviceId: ServiceId.make("33333333-3333-4333-8333-333333333333"),
  reversePrivateEndpointId: ReversePrivateEndpointId.make("44444444-4444-4444-8444-444444444444")
}

const { organizationId, keyId, serviceId, reversePrivateEndpointId } = ids
export const keyIds = { organizationId, keyId }
export const endpointIds = { organizationId, serviceId, reversePrivateEndpointId }

export const idsOf = ({ path }: Operation.Any) => Record.filter(ids, (_, name) => path.split("/").includes(`:${name}`))

export const registry = Object.values(operations).flatMap((group): ReadonlyArray<Operation.Any> => Object.values(group))

/** A call of any of them, with any content that its schema allows. */
export const call = (cloud: CloudManagement.CloudManagementClient, operation: Operation.Any) => {
  const execute = cloud.execute<Operation.Any>
  if (operation.payload === undefined) return execute(operation, idsOf(operation))
  const payloads = Arbitrary.sampleEffect(Arbitrary.schema(operation.payload.schema), { count: 1, seed: 1 })
  return Effect.flatMap(Effect.orDie(payloads), ([payload]) => execute(operation, { ...idsOf(operation), payload }))
}

/** A success of every operation: each reads its own part of `result`. */
export const success: Readonly<Record<string, unknown>> = {
  "organizations.list": { status: 200, requestId: "req-1", result: [{ id: ids.organizationId }] },
  "apiKeys.delete": { status: 200, requestId: "req-1" },
  "reversePrivateEndpoints.get": { status: 200, requestId: "req-1", result: { id: ids.reversePrivateEndpointId } }
}

export const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const character = Schema.Union([
  between(0x20, 0x7e),
  between(0xa0, 0x24f),
  between(0x2000, 0x2fff),
  between(0x1f300, 0x1faff)
])

/** Text that credentials can be: at least so many characters, none of them a control character. */
export const printable = (minLength: number) =>
  Arbitrary.map(Arbitrary.array(Arbitrary.schema(character), { minLength, maxLength: 40 }), (codes) =>
    String.fromCodePoint(...codes)
  )

export const seeded = (runs: number) => ({ arbitrary: { seed: "cloud-management", runs } })
