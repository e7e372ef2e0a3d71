import createClient from "openapi-fetch"

const client = createClient({
  baseUrl: "https://api.example.com",
  headers: { authorization: `Basic ${btoa("id:secret")}` }
})

const { data } = await client.GET("/v1/organizations")
const organizationId = data.result[0].id
await client.DELETE("/v1/organizations/{organizationId}/keys/{keyId}", {
  params: { path: { organizationId, keyId: "key" } }
})
const endpoint = await client.GET(
  "/v1/organizations/{organizationId}/services/{serviceId}/pipesReversePrivateEndpoints/{reversePrivateEndpointId}",
  { params: { path: { organizationId, serviceId: "service", reversePrivateEndpointId: "endpoint" } } }
)
console.log(endpoint.data, endpoint.error)
