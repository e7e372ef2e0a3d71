/** Runs in the page: the same client as everywhere, with a session in the place of a key. */
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/client/Credentials"
import {
  ReversePrivateEndpointId,
  ServiceId,
  type ReversePrivateEndpoint
} from "@cloud-management/core/ReversePrivateEndpoint"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schema from "effect/Schema"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"

const openSession = Effect.flatMap(HttpClient.HttpClient, (http) => http.post(`${location.origin}/session`)).pipe(
  Effect.flatMap(HttpClientResponse.schemaBodyJson(Schema.Struct({ secret: Schema.String })))
)

const layer = Layer.unwrap(
  Effect.map(openSession, ({ secret }) =>
    CloudManagement.layer({ baseUrl: `${location.origin}/api`, credentials: Credentials.make("session", secret) })
  )
).pipe(Layer.provide(FetchTransport.layer))

const runtime = ManagedRuntime.make(layer)

const show = (id: string, text: string) => {
  const element = document.getElementById(id)
  if (element !== null) element.textContent = text
}
const value = (id: string) => {
  const input = document.getElementById(id)
  return input instanceof HTMLInputElement ? input.value.trim() : ""
}

const loadOrganization = Effect.gen(function* () {
  const cloud = yield* CloudManagement.CloudManagement
  const [organization] = yield* cloud.organizations.list()
  show("organization", organization.name ?? organization.id)
  show(
    "created",
    organization.createdAt === undefined ? "" : `since ${DateTime.formatIsoDateUtc(organization.createdAt)}`
  )
  return organization
})

const showEndpoint = (status: string, endpoint: Partial<ReversePrivateEndpoint> = {}) => {
  const { description = "", dnsNames = [], privateDnsNames = [], type = "" } = endpoint
  show("status", status)
  document.getElementById("status")?.setAttribute("data-state", status)
  show("description", description)
  show("type", type)
  show("names", [...dnsNames, ...privateDnsNames].join(", "))
}

const readEndpoint = Effect.gen(function* () {
  const cloud = yield* CloudManagement.CloudManagement
  const { id: organizationId } = yield* loadOrganization
  const endpoint = yield* cloud.reversePrivateEndpoints.get({
    organizationId,
    serviceId: yield* Schema.decodeEffect(ServiceId)(value("service")),
    reversePrivateEndpointId: yield* Schema.decodeEffect(ReversePrivateEndpointId)(value("endpoint"))
  })
  showEndpoint(endpoint.status ?? "Unknown", endpoint)
}).pipe(
  Effect.catchReason("CallError", "ReversePrivateEndpointNotFound", () => Effect.sync(() => showEndpoint("Not found")))
)

/** A page cannot reach anything that the proxy does not pass on, whatever it tries. */
const deleteKey = Effect.gen(function* () {
  const cloud = yield* CloudManagement.CloudManagement
  const { id: organizationId } = yield* loadOrganization
  yield* cloud.apiKeys.delete({ organizationId, keyId: yield* Schema.decodeEffect(ApiKeyId)(value("key")) })
  show("deletion", "The key is deleted")
}).pipe(Effect.catchTag("CallError", ({ message }) => Effect.sync(() => show("deletion", `Refused: ${message}`))))

const run = <E extends { readonly message: string }>(
  program: Effect.Effect<unknown, E, CloudManagement.CloudManagement>
) => runtime.runPromise(Effect.catch(program, ({ message }) => Effect.sync(() => show("error", message))))

document.getElementById("read")?.addEventListener("submit", (event) => {
  event.preventDefault()
  show("error", "")
  void run(readEndpoint)
})
document.getElementById("delete")?.addEventListener("submit", (event) => {
  event.preventDefault()
  void run(deleteKey)
})
void run(readEndpoint)
