import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import type * as Client from "./Client.ts"
import * as internal from "./internal/client.ts"

export type * from "./Client.ts"
export * from "./Call.ts"
export * from "./CallError.ts"

/**
 * The client for the Cloud Management API over the platform's `fetch`; on Node.js, the same import is the client over
 * undici.
 *
 * **Example** (Reading the organization of a key)
 *
 * ```ts
 * import { CloudManagement } from "@cloud-management/promise"
 *
 * await using cloud = new CloudManagement()
 * const [organization] = await cloud.organizations.list()
 * console.log(organization.name)
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const CloudManagement: Client.Constructor = /* @__PURE__ */ internal.over(FetchTransport.layer)
/**
 * The client for the Cloud Management API.
 *
 * @category models
 * @since 0.1.0
 */
export interface CloudManagement extends Client.CloudManagement {}
