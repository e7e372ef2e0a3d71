import * as ApiKey from "@cloud-management/core/ApiKey"
import type * as Client from "@cloud-management/client/Client"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/client/Credentials"
import * as ReversePrivateEndpoint from "@cloud-management/core/ReversePrivateEndpoint"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as HttpClient from "effect/http/HttpClient"

const id = "12345678-1234-1234-1234-123456789012"

const program = Effect.gen(function* () {
  const cloud = yield* CloudManagement.CloudManagement
  const [organization] = yield* cloud.organizations.list()
  const organizationId = organization.id
  yield* cloud.apiKeys.delete({ organizationId, keyId: ApiKey.ApiKeyId.make(id) })
  return yield* cloud.reversePrivateEndpoints.get({
    organizationId,
    serviceId: ReversePrivateEndpoint.ServiceId.make(id),
    reversePrivateEndpointId: ReversePrivateEndpoint.ReversePrivateEndpointId.make(id)
  })
})

export const run = (transport: Layer.Layer<HttpClient.HttpClient>, options?: Pick<Client.Options, "metrics">) => {
  const client = CloudManagement.layer({
    baseUrl: "https://api.example.com",
    credentials: Credentials.make(id, "secret"),
    ...options
  })
  return Effect.runPromise(program.pipe(Effect.provide(client.pipe(Layer.provide(transport))))).then(console.log)
}
