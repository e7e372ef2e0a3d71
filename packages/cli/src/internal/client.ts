import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Client from "@cloud-management/core/Client"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import type { Listener } from "@cloud-management/core/Event"
import * as Log from "@cloud-management/core/Log"
import * as Metrics from "@cloud-management/core/Metrics"
import * as Pacing from "@cloud-management/core/Pacing"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import * as Format from "../Format.ts"

const warning = (baseUrl: string) =>
  `the API key goes to ${baseUrl} without TLS, so that others on the way can read it: use https`

/** A client over sockets, which close with the scope. It keeps to the rate limit that the service states. */
export const connect = Effect.fnUntraced(function* (
  options: Client.Options,
  transport: Layer.Layer<HttpClient.HttpClient> = NodeTransport.layer
) {
  const format = yield* Format.Format
  const log: Listener = (event) =>
    event._tag === "InsecureBaseUrl"
      ? Console.error(
          format === "json"
            ? JSON.stringify({ warning: { tag: event._tag, message: warning(event.baseUrl) } })
            : `warning: ${warning(event.baseUrl)}`
        )
      : Log.effect(event)
  const context = yield* Layer.build(transport)
  const client = CloudManagement.make({ pacing: Pacing.adaptive, log, metrics: Metrics.effect, ...options })
  return yield* Effect.provide(client, context)
})
