import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as HttpClient from "effect/http/HttpClient"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Log from "@cloud-management/core/Log"
import * as Metrics from "@cloud-management/core/Metrics"
import * as Pacing from "@cloud-management/core/Pacing"
import * as NodeTransport from "@cloud-management/node/NodeTransport"

/** A client over sockets, which close with the scope. It keeps to the rate limit that the service states. */
export const connect = (
  options: CloudManagement.Options,
  transport: Layer.Layer<HttpClient.HttpClient> = NodeTransport.layer
) =>
  Effect.map(
    Layer.build(
      CloudManagement.layer({
        pacing: Pacing.adaptive,
        log: Log.effect,
        metrics: Metrics.effect,
        ...options
      }).pipe(Layer.provide(transport))
    ),
    (context) => Context.get(context, CloudManagement.CloudManagement)
  )
