import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as HttpClient from "effect/http/HttpClient"
import * as Client from "./Client.ts"
import { operations } from "./Operations.ts"
import * as Settings from "./Settings.ts"

/**
 * The operations of the Cloud Management API as methods, and `execute` and `exchange` for any other.
 *
 * @category models
 * @since 0.1.0
 */
export interface CloudManagementClient extends Client.Client<typeof operations> {}

/**
 * The client of the Cloud Management API.
 *
 * **Details**
 *
 * Every method returns the unwrapped result and fails with a `CloudError` whose `reason` is exact for the operation.
 * `execute` returns the whole envelope and runs operations of your own.
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
 *
 * @category services
 * @since 0.1.0
 */
export class CloudManagement extends Context.Service<CloudManagement, CloudManagementClient>()(
  "@cloud-management/core/CloudManagement"
) {}

/**
 * A client as a value, from the options of {@link layer}.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  options: Client.Options
): Effect.Effect<CloudManagementClient, Client.InvalidOption, HttpClient.HttpClient> => Client.make(operations, options)

/**
 * A client from options, over the transport that is provided to it: any Layer of `HttpClient`.
 *
 * **Details**
 *
 * Fails with `Client.InvalidOption` for options that no call can be made with: a base URL that is not one, credentials
 * that HTTP Basic cannot carry, a limit that is negative or not a duration, less than one attempt.
 *
 * **Example** (Making a patient client)
 *
 * ```ts
 * import * as Layer from "effect/Layer"
 * import type * as HttpClient from "effect/http/HttpClient"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Credentials from "@cloud-management/core/Credentials"
 * import * as Retry from "@cloud-management/core/Retry"
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
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Client.Options
): Layer.Layer<CloudManagement, Client.InvalidOption, HttpClient.HttpClient> =>
  Layer.effect(CloudManagement, make(options))

/**
 * A client from `CLOUD_MANAGEMENT_BASE_URL`, `CLOUD_MANAGEMENT_KEY_ID` and `CLOUD_MANAGEMENT_KEY_SECRET`, as the
 * `ConfigProvider` finds them (by default in the environment).
 *
 * **Details**
 *
 * Fails with `MissingSettings`, which names all that are missing, and for what they say as {@link layer} does.
 *
 * @category layers
 * @since 0.1.0
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
    Effect.flatMap(Settings.read, (settings) => make({ ...options, ...settings }))
  )
