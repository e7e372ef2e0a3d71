/**
 * The endpoint read with other libraries, for `npm run bench -- --peers`: authenticated with Basic, where the library can,
 * and with the same answer parsed. Each makes the function that makes one call. `@distilled.cloud/neon` has only Neon's
 * operations, so it reads a list of keys of about as many bytes, with a bearer token.
 */
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm"
import { Credentials } from "@distilled.cloud/neon/Credentials"
import { listApiKeys } from "@distilled.cloud/neon/Operations"
import { Octokit } from "@octokit/core"
import axios from "axios"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as FetchHttpClient from "effect/unstable/http/FetchHttpClient"
import got from "got"
import ky from "ky"
import { ofetch } from "ofetch"
import OpenAI from "openai"
import createClient from "openapi-fetch"

const template =
  "/v1/organizations/{organizationId}/services/{serviceId}/pipesReversePrivateEndpoints/{reversePrivateEndpointId}"

const pathOf = (params) => template.replace(/\{(\w+)\}/g, (_, name) => params[name])

export const calls = {
  "@distilled.cloud/neon": ({ baseUrl }) => {
    const credentials = Effect.succeed({ apiKey: Redacted.make("secret"), apiBaseUrl: baseUrl })
    const runtime = ManagedRuntime.make(Layer.merge(FetchHttpClient.layer, Layer.succeed(Credentials, credentials)))
    return () => runtime.runPromise(listApiKeys({}))
  },
  "openapi-fetch": ({ authorization, baseUrl, params }) => {
    const api = createClient({ baseUrl, headers: { authorization } })
    return () => api.GET(template, { params: { path: params } })
  },
  ofetch:
    ({ authorization, baseUrl, params }) =>
    () =>
      ofetch(baseUrl + pathOf(params), { headers: { authorization } }),
  ky: ({ authorization, baseUrl, params }) => {
    const api = ky.create({ baseUrl, headers: { authorization } })
    return () => api.get(pathOf(params)).json()
  },
  got: ({ authorization, baseUrl, params }) => {
    const api = got.extend({ headers: { authorization } })
    return () => api(baseUrl + pathOf(params)).json()
  },
  axios: ({ authorization, baseUrl, params }) => {
    const api = axios.create({ baseURL: baseUrl, headers: { authorization } })
    return () => api.get(pathOf(params))
  },
  "@octokit/core": ({ authorization, baseUrl, params }) => {
    const octokit = new Octokit({ baseUrl })
    return () => octokit.request(`GET ${template}`, { ...params, headers: { authorization } })
  },
  openai: ({ authorization, baseUrl, params }) => {
    const openai = new OpenAI({ apiKey: "secret", baseURL: baseUrl, defaultHeaders: { Authorization: authorization } })
    return () => openai.get(pathOf(params))
  },
  "@aws-sdk/client-ssm": ({ baseUrl }) => {
    // signed, since it knows no Basic
    const ssm = new SSMClient({
      region: "us-east-1",
      endpoint: baseUrl,
      credentials: { accessKeyId: "id", secretAccessKey: "secret" }
    })
    const command = new GetParameterCommand({ Name: "name" })
    return () => ssm.send(command)
  }
}
