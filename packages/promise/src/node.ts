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

/** The client of any API over undici, to which `@cloud-management/promise` resolves on Node.js. */
export const Client: Types.ClientConstructor = /* @__PURE__ */ internal.over(
  NodeTransport.layer,
  FetchTransport.layerStreams
)
/** A client of the operations of a registry. */
export type Client<Registry extends Types.Registry> = Types.Client<Registry>

/** The client of the Cloud Management API over undici. */
export const CloudManagement: Api.CloudManagementConstructor = /* @__PURE__ */ Ours.of(Client)
/** The client of the Cloud Management API. */
export interface CloudManagement extends Api.CloudManagement {}
