import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import type * as Types from "./Client.ts"
import type * as Api from "./CloudManagement.ts"
import * as internal from "./internal/client.ts"
import * as Ours from "./internal/cloudManagement.ts"

export type * from "./Client.ts"
export type * from "./CloudManagement.ts"
export * from "./Call.ts"
export * from "./CallError.ts"

/**
 * The client of any API over undici, to which `@cloud-management/promise` resolves on Node.js.
 *
 * **Example** (Calling operations of your own)
 *
 * ```ts
 * import { Client } from "@cloud-management/promise"
 * import * as Body from "@cloud-management/client/Body"
 * import * as Credentials from "@cloud-management/client/Credentials"
 * import * as Operation from "@cloud-management/client/Operation"
 * import * as Schema from "effect/Schema"
 *
 * const get = Operation.make({
 *   group: "users",
 *   name: "get",
 *   method: "GET",
 *   path: "/users/:id",
 *   params: Schema.Struct({ id: Schema.String }),
 *   success: Body.json(Schema.Struct({ name: Schema.String })),
 *   errors: []
 * })
 *
 * await using client = new Client({
 *   operations: { users: { get } },
 *   baseUrl: "https://api.example.com",
 *   credentials: Credentials.bearer("my-token")
 * })
 * const { name } = await client.users.get({ id: "42" })
 * ```
 */
export const Client: Types.ClientConstructor = /* @__PURE__ */ internal.over(
  NodeTransport.layer,
  FetchTransport.layerStreams
)
/** A client of the operations of a registry. */
export type Client<Registry extends Types.Registry> = Types.Client<Registry>

/**
 * The client of the Cloud Management API.
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
 */
export const CloudManagement: Api.CloudManagementConstructor = /* @__PURE__ */ Ours.of(Client)
/** The client of the Cloud Management API. */
export interface CloudManagement extends Api.CloudManagement {}
