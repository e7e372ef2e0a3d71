import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as HttpClient from "effect/http/HttpClient"
import * as CloudError from "@cloud-management/core/CloudError"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Log from "@cloud-management/core/Log"
import * as Metrics from "@cloud-management/core/Metrics"
import type * as Operation from "@cloud-management/core/Operation"
import { getReversePrivateEndpoint } from "@cloud-management/core/operations"
import * as Pacing from "@cloud-management/core/Pacing"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import * as Foreign from "../foreign.ts"
import * as Format from "../Format.ts"
import * as Echo from "./echo.ts"

const warning = (baseUrl: string) =>
  `the API key goes to ${baseUrl} without TLS, so that others on the way can read it: use https`

/**
 * A client over sockets, which close with the scope. It keeps to the rate limit that the service states, and refuses a success
 * that repeats the secret, since a command shows it as it is.
 */
export const connect = Effect.fnUntraced(function* (
  options: CloudManagement.Options,
  transport: Layer.Layer<HttpClient.HttpClient> = NodeTransport.layer
) {
  const format = yield* Format.Format
  const log: Log.Log = (event) =>
    event._tag === "InsecureBaseUrl"
      ? Console.error(
          format === "json"
            ? Foreign.toJson({ warning: { tag: event._tag, message: warning(event.baseUrl) } })
            : Foreign.clean(`warning: ${warning(event.baseUrl)}`)
        )
      : Log.effect(event)
  const client = CloudManagement.layer({ pacing: Pacing.adaptive, log, metrics: Metrics.effect, ...options })
  const context = yield* Layer.build(Layer.provide(client, transport))
  const cloud = Context.get(context, CloudManagement.CloudManagement)
  const repeats = Echo.finder(options.credentials)
  const silent = <A, E>({ group, method, name, path }: Operation.Any, call: Effect.Effect<A, E>) =>
    Effect.filterOrFail(
      call,
      (success) => !repeats(success),
      () =>
        new CloudError.CloudError({
          operation: `${group}.${name}`,
          method,
          path,
          attempts: 1,
          outcome: "unknown",
          reason: new CloudError.InvalidResponse({ message: "the body repeats the credentials, and is not shown" })
        })
    )
  return CloudManagement.CloudManagement.of({
    ...cloud,
    execute: (operation, params) => silent(operation, cloud.execute(operation, params)),
    reversePrivateEndpoints: {
      get: (params) => silent(getReversePrivateEndpoint, cloud.reversePrivateEndpoints.get(params))
    }
  })
})
