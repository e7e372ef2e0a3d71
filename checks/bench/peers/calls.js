/**
 * The endpoint read with other libraries, for `npm run bench -- --peers`: authenticated with Basic, where the library can,
 * and with the same answer parsed. Each is a function that makes one call. `@distilled.cloud/neon` is not among them: it takes
 * nothing but the answers of Neon.
 */
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm"
import { Octokit } from "@octokit/core"
import axios from "axios"
import got from "got"
import ky from "ky"
import { ofetch } from "ofetch"
import OpenAI from "openai"
import createClient from "openapi-fetch"

const template =
  "/v1/organizations/{organizationId}/services/{serviceId}/pipesReversePrivateEndpoints/{reversePrivateEndpointId}"

export const calls = ({ authorization, baseUrl, params }) => {
  const path = template.replace(/\{(\w+)\}/g, (_, name) => params[name])
  const url = baseUrl + path
  const headers = { authorization }

  const openapi = createClient({ baseUrl, headers })
  const kyApi = ky.create({ baseUrl, headers })
  const gotApi = got.extend({ headers })
  const axiosApi = axios.create({ baseURL: baseUrl, headers })
  const octokit = new Octokit({ baseUrl })
  const openai = new OpenAI({ apiKey: "secret", baseURL: baseUrl, defaultHeaders: { Authorization: authorization } })
  // signed, since it knows no Basic
  const ssm = new SSMClient({
    region: "us-east-1",
    endpoint: baseUrl,
    credentials: { accessKeyId: "id", secretAccessKey: "secret" }
  })
  const command = new GetParameterCommand({ Name: "name" })

  return {
    "openapi-fetch": () => openapi.GET(template, { params: { path: params } }),
    ofetch: () => ofetch(url, { headers }),
    ky: () => kyApi.get(path).json(),
    got: () => gotApi(url).json(),
    axios: () => axiosApi.get(path),
    "@octokit/core": () => octokit.request(`GET ${template}`, { ...params, headers }),
    openai: () => openai.get(path),
    "@aws-sdk/client-ssm": () => ssm.send(command)
  }
}
