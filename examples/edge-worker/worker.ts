/**
 * A worker at the edge (Cloudflare Workers, `npx wrangler dev`): `/SERVICE/ENDPOINT` responds with the status of an endpoint.
 * The key stays in the worker's secrets.
 *
 * The client is built once in an isolate, at its first request: before that there is no environment, and no leave to do
 * anything. The requests after it share the client, and with it the retry budget.
 */
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schema from "effect/Schema"

/** `CLOUD_MANAGEMENT_BASE_URL`, `CLOUD_MANAGEMENT_KEY_ID` and `CLOUD_MANAGEMENT_KEY_SECRET`. */
type Environment = Readonly<Record<string, string>>

const build = (environment: Environment) =>
  ManagedRuntime.make(
    CloudManagement.layerConfig({ deadline: { total: "10 seconds" } }).pipe(
      Layer.tap(() => Effect.log("client built")),
      Layer.provide(FetchTransport.layer),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
    )
  )
let runtime: ReturnType<typeof build> | undefined

const Path = Schema.Struct({ serviceId: ServiceId, reversePrivateEndpointId: ReversePrivateEndpointId })

const readStatus = Effect.fnUntraced(function* (url: string) {
  const [, serviceId, reversePrivateEndpointId] = new URL(url).pathname.split("/")
  const path = yield* Schema.decodeUnknownEffect(Path)({ serviceId, reversePrivateEndpointId })
  const cloud = yield* CloudManagement.CloudManagement
  const [{ id: organizationId }] = yield* cloud.organizations.list()
  const { status = "Unknown" } = yield* cloud.reversePrivateEndpoints.get({ organizationId, ...path })
  return status
})

const respond = (status: number, text: string) =>
  new Response(text, { status, headers: { "cache-control": status === 200 ? "public, max-age=15" : "no-store" } })

const read = (url: string) =>
  readStatus(url).pipe(
    Effect.map((status) => respond(200, status)),
    Effect.catchTag("SchemaError", () => Effect.succeed(respond(404, "No such page"))),
    Effect.catchReason("CallError", "ReversePrivateEndpointNotFound", () =>
      Effect.succeed(respond(404, "No such endpoint"))
    ),
    Effect.catchTag("CallError", (error) =>
      Effect.as(Effect.logError(error.message), respond(503, "Not known at the moment"))
    )
  )

export default {
  fetch: (request: Request, environment: Environment): Promise<Response> => {
    runtime ??= build(environment)
    return runtime.runPromise(read(request.url), { signal: request.signal })
  }
}
