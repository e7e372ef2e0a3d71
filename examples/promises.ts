/** For callers that do not use Effect: promises, `Error` classes, and an `AbortSignal` for each call. */
import { CloudError, CloudManagement } from "@cloud-management/promise"

// closes its connections at the end of the file
await using cloud = new CloudManagement({ timeout: 5000, maxRetries: 4 })

try {
  const [organization] = await cloud.organizations.list({ signal: AbortSignal.timeout(20_000) })
  console.log(organization.name)
} catch (error) {
  if (!(error instanceof CloudError)) throw error
  console.error(`${error.reason} after ${error.attempts} attempts: ${error.message}`)
}
