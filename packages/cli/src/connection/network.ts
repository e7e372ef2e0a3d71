import type * as Layer from "effect/Layer"
import type * as HttpClient from "effect/http/HttpClient"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import type { InvalidTransportOption } from "@cloud-management/node/TransportOptions"

/** The transport to other machines, through the proxies that the environment sets. */
export const layer: Layer.Layer<HttpClient.HttpClient, InvalidTransportOption> = NodeTransport.layerOptions({
  proxy: "env"
})
