import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import type * as Client from "./Client.ts"
import * as internal from "./internal/client.ts"

export type * from "./Client.ts"
export * from "./Call.ts"
export * from "./CallError.ts"

/**
 * The client for the Cloud Management API over undici, to which `@cloud-management/promise` resolves on Node.js.
 *
 * **Example** (Limiting an attempt and a call)
 *
 * ```ts
 * import { CloudManagement } from "@cloud-management/promise"
 *
 * await using cloud = new CloudManagement({ timeout: 5000 })
 * const [organization] = await cloud.organizations.list({ signal: AbortSignal.timeout(20_000) })
 * console.log(organization.name)
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const CloudManagement: Client.Constructor = /* @__PURE__ */ internal.over(
  NodeTransport.layer,
  FetchTransport.layerStreams
)
/**
 * The client for the Cloud Management API.
 *
 * @category models
 * @since 0.1.0
 */
export interface CloudManagement extends Client.CloudManagement {}
