import { ConfigProvider, Context, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { type Client, Credentials } from "@cloud-management/client"
import { CloudManagement } from "@cloud-management/core"
import { NodeTransport, type TransportOptions } from "@cloud-management/node"

export const organization = { id: "11111111-1111-4111-8111-111111111111", name: "Acme" }

export const transport = (options: TransportOptions.Options = {}, environment: Readonly<Record<string, string>> = {}) =>
  NodeTransport.layerOptions(options).pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment))),
    Layer.build,
    Effect.map(Context.get(HttpClient.HttpClient))
  )

export const connect = (baseUrl: string, options: Partial<Client.Options> = {}, http = transport()) =>
  Effect.flatMap(http, (http) =>
    CloudManagement.make({ baseUrl, credentials: Credentials.make("key-id", "key-secret"), ...options }).pipe(
      Effect.provideService(HttpClient.HttpClient, http)
    )
  )
