/** A worker whose clients read their key by `fetch`: the organization's name, by the client that the path names. */
import { FetchTransport } from "@cloud-management/browser"
import { CloudManagement } from "@cloud-management/core"
import { Credentials } from "@cloud-management/client"
import * as Promises from "@cloud-management/promise"
import { Effect, Layer, ManagedRuntime } from "effect"

type List = () => PromiseLike<ReadonlyArray<{ readonly name?: string | undefined }>>

const makers: Readonly<Record<string, (baseUrl: string, readSecret: () => Promise<string>) => List>> = {
  "/effect": (baseUrl, readSecret) => {
    const credentials = Effect.map(Effect.promise(readSecret), (secret) => Credentials.make("key-id", secret))
    const runtime = ManagedRuntime.make(
      CloudManagement.layer({ baseUrl, credentials }).pipe(Layer.provide(FetchTransport.layer))
    )
    // one fiber builds the client, and it would wake those of other requests: they wait for a promise
    let built: Promise<unknown> | undefined
    return async () => {
      await (built ??= runtime.context())
      return runtime.runPromise(Effect.flatMap(CloudManagement.CloudManagement, (cloud) => cloud.organizations.list()))
    }
  },
  "/promises": (baseUrl, readSecret) => {
    const credentials = async () => ({ keyId: "key-id", keySecret: await readSecret() })
    const cloud = new Promises.CloudManagement({ baseUrl, credentials })
    return () => cloud.organizations.list()
  }
}
const clients = new Map<string, List>()

export default {
  fetch: async (request: Request, { BASE_URL }: { readonly BASE_URL: string }): Promise<Response> => {
    const { pathname } = new URL(request.url)
    const list =
      clients.get(pathname) ?? makers[pathname]?.(BASE_URL, async () => (await fetch(`${BASE_URL}/key`)).text())
    if (list === undefined) return new Response("no such client", { status: 404 })
    clients.set(pathname, list)
    return new Response((await list()).map(({ name }) => name).join())
  }
}
