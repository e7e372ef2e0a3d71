/** The three operations on promises, in a program that does not know of Effect; and an abort during a wait. */
import { CloudManagement, NotFoundError } from "@cloud-management/promise"

declare const process: { readonly env: Readonly<Record<string, string>> }
const { ENDPOINT: reversePrivateEndpointId = "", SERVICE: serviceId = "", VICTIM: keyId = "" } = process.env

/** A call that waits half a minute to be sent again, and is aborted before. */
const abortDuringWait = async () => {
  const controller = new AbortController()
  let asked = 0
  const cloud = new CloudManagement({
    fetch: async () => {
      asked++
      setTimeout(() => controller.abort(new Error("enough")), 100)
      const headers = { "retry-after": "30" }
      return Response.json({ status: 503, error: "BUSY: Come again", requestId: "1" }, { status: 503, headers })
    }
  })
  const began = Date.now()
  const error = await cloud.organizations.list({ signal: controller.signal }).catch((error: unknown) => error)
  await cloud.close()
  if (error !== controller.signal.reason || asked !== 1 || Date.now() - began > 25_000) throw new Error("not aborted")
}

const operations = async () => {
  const cloud = new CloudManagement()
  const [{ id: organizationId, name = "" }] = await cloud.organizations.list()
  const endpoint = await cloud.reversePrivateEndpoints.get({ organizationId, serviceId, reversePrivateEndpointId })
  await cloud.apiKeys.delete({ organizationId, keyId })
  const error = await cloud.apiKeys.delete({ organizationId, keyId }).catch((error: unknown) => error)
  await cloud.close()
  if (!(error instanceof NotFoundError)) throw error
  return [name, endpoint.status, error.reason].join(" ")
}

await abortDuringWait()
console.log(await operations())
