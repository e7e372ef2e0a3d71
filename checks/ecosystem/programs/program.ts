/** Every consumer calls the three operations in a client whose settings and transport it is given. */
import { ApiKey, CloudManagement, ReversePrivateEndpoint } from "@cloud-management/core"
import { Config, Effect } from "effect"

const operations = Effect.gen(function* () {
  const serviceId = ReversePrivateEndpoint.ServiceId.make(yield* Config.String("SERVICE"))
  const reversePrivateEndpointId = ReversePrivateEndpoint.ReversePrivateEndpointId.make(
    yield* Config.String("ENDPOINT")
  )
  const keyId = ApiKey.ApiKeyId.make(yield* Config.String("VICTIM"))

  const cloud = yield* CloudManagement.CloudManagement
  const [{ id: organizationId, name = "" }] = yield* cloud.organizations.list()
  const endpoint = yield* cloud.reversePrivateEndpoints.get({ organizationId, serviceId, reversePrivateEndpointId })
  yield* cloud.apiKeys.delete({ organizationId, keyId })
  const error = yield* Effect.flip(cloud.apiKeys.delete({ organizationId, keyId }))
  return [name, endpoint.status, error.reason._tag].join(" ")
})

export const program = operations.pipe(Effect.provide(CloudManagement.layerConfig()))
