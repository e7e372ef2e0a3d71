/** The three operations on promises, in a program that does not know of Effect. */
import { CloudManagement, NotFoundError } from "@cloud-management/promise"

declare const process: { readonly env: Readonly<Record<string, string>> }
const { ENDPOINT: reversePrivateEndpointId = "", SERVICE: serviceId = "", VICTIM: keyId = "" } = process.env

const cloud = new CloudManagement()
const [{ id: organizationId, name = "" }] = await cloud.organizations.list()
const endpoint = await cloud.reversePrivateEndpoints.get({ organizationId, serviceId, reversePrivateEndpointId })
await cloud.apiKeys.delete({ organizationId, keyId })
const error = await cloud.apiKeys.delete({ organizationId, keyId }).catch((error: unknown) => error)
await cloud.close()
if (!(error instanceof NotFoundError)) throw error
console.log(name, endpoint.status, error.reason)
