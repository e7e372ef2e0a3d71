/** The generators of `bench:generators`, and programs that use what each of them makes of Box's document. */

export interface Tool {
  readonly packages: Readonly<Record<string, string>>
  readonly generate: string
  readonly count: readonly [file: string, pattern: RegExp]
  readonly client: string
  readonly page: string
  /** For an editor, in the page or in another program: the call, and the name of a parameter. */
  readonly asked: readonly [call: string, parameter?: string]
  readonly edited?: string
}

const effect = "4.0.0-beta.107"
const find =
  'const find = (all: any, name: string) => all[Object.keys(all).find((key) => key.replace(/[^A-Za-z0-9]/g, "").toLowerCase() === name) ?? ""]'
const thrown = "if (!(status >= 200 && status < 300)) throw { status, body }"
export const tools: Readonly<Record<string, Tool>> = {
  "this generator": {
    packages: {},
    generate: "cloud-management-generate document.json --out api",
    count: ["api/manifest.json", /"group": /g],
    client: `import { Client, Credentials } from "@cloud-management/client"
import { FetchTransport } from "@cloud-management/browser"
import { Effect } from "effect"
import { operations } from "./api/index.ts"
export default (baseUrl: string) => {
  const make = Client.make(operations, { baseUrl, credentials: Credentials.bearer("fake") })
  const all: any = Object.assign({}, ...Object.values<any>(operations).flatMap((group) => Object.values<any>(group).map((one) => ({ [one.id]: one }))))
  return ({ id, path, query }: any) => Effect.runPromise(Effect.flatMap(make, (client) =>
    client.execute(all[id], { ...path, ...(Object.keys(query).length > 0 && { query }) } as any)).pipe(Effect.provide(FetchTransport.layer)))
    .catch((error: any) => { throw { status: error.status, body: error.reason?.body } })
}`,
    page: `import * as Client from "@cloud-management/client/Client"
import * as Credentials from "@cloud-management/client/Credentials"
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as Effect from "effect/Effect"
import { getFoldersIdCollaborations } from "./api/operations/collaborationsList.ts"
const program = Effect.flatMap(Client.make({ collaborationsList: { getFoldersIdCollaborations } }, { baseUrl: "/", credentials: Credentials.bearer("") }),
  (client) => client.collaborationsList.getFoldersIdCollaborations({ folder_id: "1" }))
console.log(await Effect.runPromise(Effect.provide(program, FetchTransport.layer)))`,
    asked: ["collaborationsList.getFoldersIdCollaborations(", "({ folder_id"],
    edited: `import type * as Client from "@cloud-management/client/Client"
import { operations } from "./api/index.ts"
declare const client: Client.Client<typeof operations>
export const call: unknown = client.collaborationsList.getFoldersIdCollaborations({ folder_id: "1" })`
  },
  "hey-api": {
    packages: { "@hey-api/openapi-ts": "0.99.0", typescript: "5.9.3" },
    generate: "openapi-ts -i document.json -o api -c @hey-api/client-fetch",
    count: ["api/sdk.gen.ts", /^export const /gm],
    client: `import * as sdk from "./api/sdk.gen.ts"
import { client } from "./api/client.gen.ts"
${find}
export default (baseUrl: string) => {
  client.setConfig({ baseUrl, auth: () => "fake" })
  return async ({ name, path, query }: any) => {
    const { data, error: body, response } = await find(sdk, name)({ path, query })
    const status = response?.status ?? 0
    ${thrown}
    return data
  }
}`,
    page: `import { getFoldersIdCollaborations } from "./api/sdk.gen.ts"
console.log(await getFoldersIdCollaborations({ path: { folder_id: "1" } }))`,
    asked: ["getFoldersIdCollaborations(", "{ folder_id"]
  },
  "openapi-typescript, openapi-fetch": {
    packages: { "openapi-typescript": "7.13.0", "openapi-fetch": "0.17.0", typescript: "5.9.3" },
    generate: "openapi-typescript document.json -o api.ts",
    count: ["api.ts", /^ {8}(?:get|put|post|delete|options): operations\[/gm],
    client: `import createClient from "openapi-fetch"
import type { paths } from "./api.ts"
export default (baseUrl: string) => {
  const client = createClient<paths>({ baseUrl, headers: { authorization: "Bearer fake" } })
  return async ({ template, path, query }: any) => {
    const { data, error: body, response: { status } } = await client.GET(template, { params: { path, query } } as any)
    ${thrown}
    return data
  }
}`,
    page: `import createClient from "openapi-fetch"
import type { paths } from "./api.ts"
const client = createClient<paths>({ baseUrl: "/" })
console.log(await client.GET("/folders/{folder_id}/collaborations", { params: { path: { folder_id: "1" } } }))`,
    asked: ["client.GET(", "{ folder_id"]
  },
  orval: {
    packages: { orval: "8.38.0" },
    generate: "orval --input document.json --output api/index.ts --client fetch",
    count: ["api/index.ts", /^export const \w+ = async/gm],
    client: `import * as api from "./api/index.ts"
${find}
export default (baseUrl: string) => async ({ name, path, query }: any) => {
  // its functions have paths without a host
  const real = globalThis.fetch
  globalThis.fetch = (url: any, init: any) => real(baseUrl + url, { ...init, headers: { authorization: "Bearer fake" } })
  try {
    const { data: body, status } = await find(api, name)(...Object.values(path), query)
    ${thrown}
    return body
  } finally {
    globalThis.fetch = real
  }
}`,
    page: `import { getFoldersIdCollaborations } from "./api/index.ts"
console.log(await getFoldersIdCollaborations("1"))`,
    asked: ["getFoldersIdCollaborations("]
  },
  "@effect/openapi-generator": {
    // its peers by their ranges do not fit each other
    packages: {
      "@effect/openapi-generator": effect,
      effect,
      "@effect/platform-node": effect,
      "@effect/platform-node-shared": effect
    },
    generate: "openapigen -s document.json -n Api > api.ts",
    count: ["api.ts", /^readonly "\w+": </gm],
    client: `import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/unstable/http/FetchHttpClient"
import * as HttpClient from "effect/unstable/http/HttpClient"
import * as HttpClientRequest from "effect/unstable/http/HttpClientRequest"
import { make } from "./api.ts"
${find}
export default (baseUrl: string) => ({ name, path, query }: any) => {
  const signed = HttpClient.mapRequest((request: HttpClientRequest.HttpClientRequest) =>
    HttpClientRequest.bearerToken(HttpClientRequest.prependUrl(request, baseUrl), "fake"))
  return Effect.runPromise(Effect.flatMap(HttpClient.HttpClient, (client) =>
    find(make(signed(client)), name)(...Object.values(path), { params: query }) as Effect.Effect<unknown>)
    .pipe(Effect.provide(FetchHttpClient.layer)))
    .catch((error: any) => { throw { status: error.response?.status, body: error.cause } })
}`,
    page: `import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/unstable/http/FetchHttpClient"
import * as HttpClient from "effect/unstable/http/HttpClient"
import { make } from "./api.ts"
const program = Effect.flatMap(HttpClient.HttpClient, (client) => make(client).getFoldersIdCollaborations("1", undefined))
console.log(await Effect.runPromise(Effect.provide(program, FetchHttpClient.layer)))`,
    asked: ["make(client).getFoldersIdCollaborations("]
  }
}
