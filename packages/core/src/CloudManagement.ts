import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LayerMap from "effect/LayerMap"
import type * as Scope from "effect/Scope"
import type * as HttpClient from "effect/http/HttpClient"
import * as Client from "@cloud-management/client/Client"
import * as OptionRules from "@cloud-management/client/OptionRules"
import { operations } from "./Operations.ts"
import * as Settings from "./Settings.ts"

/**
 * The operations of the Cloud Management API as methods, and `execute` and `exchange` for other operations.
 */
export interface CloudManagementClient extends Client.Client<typeof operations> {}

/**
 * The client of the Cloud Management API.
 *
 * **Details**
 *
 * Every method returns the unwrapped result and fails with a `CallError` whose `reason` is exact for the operation.
 * `execute` returns the whole envelope and also runs your own operations.
 *
 * **Example** (Reading the organization of a key)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as NodeTransport from "@cloud-management/node/NodeTransport"
 *
 * const program = Effect.gen(function*() {
 *   const cloud = yield* CloudManagement.CloudManagement
 *   const [organization] = yield* cloud.organizations.list()
 *   return organization.name
 * }).pipe(Effect.provide(CloudManagement.layerConfig().pipe(Layer.provide(NodeTransport.layer))))
 * ```
 */
export class CloudManagement extends Context.Service<CloudManagement, CloudManagementClient>()(
  "@cloud-management/core/CloudManagement"
) {}

/**
 * Creates a client as a value, from the options of {@link layer}.
 *
 * **Details**
 *
 * If there is a scope, what the client starts ends with it.
 */
export const make = <E = never, R = never>(
  options: Client.Options | Client.RotatingOptions<E, R>
): Effect.Effect<CloudManagementClient, Client.InvalidOption | E, HttpClient.HttpClient | R> =>
  Client.make(operations, options)

/**
 * A client from options, to be provided with a transport: any Layer of `HttpClient`.
 *
 * **Details**
 *
 * Fails with `Client.InvalidOption` if an option is invalid: the base URL, credentials that HTTP Basic cannot carry, a
 * limit that is negative or not a duration, attempts that are not a whole number of at least 1.
 *
 * **Example** (Making a patient client)
 *
 * ```ts
 * import * as Layer from "effect/Layer"
 * import type * as HttpClient from "effect/http/HttpClient"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Credentials from "@cloud-management/client/Credentials"
 * import * as Retry from "@cloud-management/client/Retry"
 *
 * declare const secret: string
 * declare const transport: Layer.Layer<HttpClient.HttpClient>
 * const cloud = CloudManagement.layer({
 *   baseUrl: "https://api.example.com",
 *   credentials: Credentials.make("12345678-1234-1234-1234-123456789012", secret),
 *   retry: Retry.patient,
 *   deadline: { total: "10 minutes" },
 *   maxResponseBytes: 64 * 1024
 * }).pipe(Layer.provide(transport))
 * ```
 */
export const layer = <E = never, R = never>(
  options: Client.Options | Client.RotatingOptions<E, R>
): Layer.Layer<CloudManagement, Client.InvalidOption | E, HttpClient.HttpClient | R> =>
  Layer.effect(CloudManagement, make(options))

/**
 * Clients by your own key, such as the ID of an organization; each is created when it is first used.
 *
 * **When to use**
 *
 * For programs that serve several organizations, because a client has one API key. All clients share the transport;
 * each has its own retry budget and pacing.
 *
 * **Details**
 *
 * The map's `get(key)` returns the layer of that client, and `invalidate(key)` drops the client. An unused client is
 * dropped after `idleTimeToLive`, by default at once. If the layer of a client fails, it is built again the next time.
 *
 * Throws a `RangeError` if `idleTimeToLive` is negative or not a duration.
 *
 * **Example** (Serving several organizations)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import type * as Credentials from "@cloud-management/client/Credentials"
 *
 * declare const readKey: (organization: string) => Effect.Effect<Credentials.Credentials>
 *
 * const program = Effect.gen(function*() {
 *   const clients = yield* CloudManagement.makeMap(
 *     (organization: string) => ({ baseUrl: "https://api.example.com", credentials: readKey(organization) }),
 *     { idleTimeToLive: "10 minutes" }
 *   )
 *   const list = CloudManagement.CloudManagement.use((cloud) => cloud.organizations.list())
 *   return yield* Effect.all([
 *     Effect.provide(list, clients.get("acme")),
 *     Effect.provide(list, clients.get("umbrella"))
 *   ])
 * })
 * ```
 */
export const makeMap = <Key, E = never, R = never>(
  optionsOf: (key: Key) => Client.Options | Client.RotatingOptions<E, R>,
  options?: { readonly idleTimeToLive?: Duration.Input }
): Effect.Effect<
  LayerMap.LayerMap<Key, CloudManagement, Client.InvalidOption | E>,
  never,
  Scope.Scope | HttpClient.HttpClient | R
> => {
  OptionRules.check("clients", OptionRules.options(options ?? {}), { idleTimeToLive: OptionRules.duration })
  return Effect.gen(function* () {
    const clients: LayerMap.LayerMap<Key, CloudManagement, Client.InvalidOption | E> = yield* LayerMap.make(
      (key: Key) =>
        // the map would keep the failure as long as a client
        Layer.tapCause(
          Layer.effect(
            CloudManagement,
            Effect.suspend(() => make(optionsOf(key)))
          ),
          () => clients.invalidate(key)
        ),
      options
    )
    return clients
  })
}

/**
 * A client from `CLOUD_MANAGEMENT_BASE_URL`, `CLOUD_MANAGEMENT_KEY_ID` and `CLOUD_MANAGEMENT_KEY_SECRET`, read through
 * the `ConfigProvider` (by default from the environment).
 *
 * **Details**
 *
 * Fails with `MissingSettings`, which names all missing settings, and for invalid values in the same way as
 * {@link layer}. The key is read again after a 401, so a provider that reads mounted files (`ConfigProvider.fromDir`)
 * follows a rotation.
 */
export const layerConfig = (
  options?: Omit<Client.Options, "baseUrl" | "credentials">
): Layer.Layer<
  CloudManagement,
  Client.InvalidOption | Settings.MissingSettings | Config.ConfigError,
  HttpClient.HttpClient
> =>
  Layer.effect(
    CloudManagement,
    Effect.flatMap(Settings.read, (settings) =>
      make({ ...options, ...settings, credentials: Effect.map(Settings.read, ({ credentials }) => credentials) })
    )
  )
