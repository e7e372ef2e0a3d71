/** The page of `client.ts`, on promises. */
import { CloudManagement } from "@cloud-management/promise"

const id = "12345678-1234-1234-1234-123456789012"

const cloud = new CloudManagement({ baseUrl: "https://api.example.com", keyId: id, keySecret: "secret" })
const [organization] = await cloud.organizations.list()
const organizationId = organization.id
await cloud.apiKeys.delete({ organizationId, keyId: id })
console.log(await cloud.reversePrivateEndpoints.get({ organizationId, serviceId: id, reversePrivateEndpointId: id }))
