import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as HttpClient from "effect/http/HttpClient"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as NodeTransport from "@cloud-management/node/NodeTransport"

/** A client over sockets, which close with the scope. */
export const connect = (
  options: CloudManagement.Options,
  transport: Layer.Layer<HttpClient.HttpClient> = NodeTransport.layer
) =>
  Effect.map(Layer.build(CloudManagement.layer(options).pipe(Layer.provide(transport))), (context) =>
    Context.get(context, CloudManagement.CloudManagement)
  )
