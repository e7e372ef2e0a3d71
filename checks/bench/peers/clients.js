/** Clients of our API on other libraries, for `checks/bench/compare.ts`: the list and the deletion, each as one call. */
import OpenAI from "openai"
import createClient from "openapi-fetch"

const organizations = "/v1/organizations"
const keyOf = (id) => `${organizations}/${id}/keys/${id}`

/** openapi-fetch reports a refusal as a value. */
const unwrap = async (call) => {
  const { data, error, response } = await call
  if (error !== undefined) throw Object.assign(new Error(`HTTP ${response.status}`), { name: "error", cause: error })
  return data
}

export const clients = {
  fetch: ({ authorization, baseUrl }) => {
    const call = async (method, path) => {
      const response = await fetch(`${baseUrl}${path}`, { method, headers: { authorization } })
      if (!response.ok) throw new Error(`HTTP ${response.status}`)
      return response.json()
    }
    return { list: () => call("GET", organizations), remove: (id) => call("DELETE", keyOf(id)) }
  },
  "openapi-fetch": ({ authorization, baseUrl }) => {
    const api = createClient({ baseUrl, headers: { authorization } })
    const key = `${organizations}/{organizationId}/keys/{keyId}`
    return {
      list: () => unwrap(api.GET(organizations)),
      remove: (id) => unwrap(api.DELETE(key, { params: { path: { organizationId: id, keyId: id } } }))
    }
  },
  openai: ({ authorization, baseUrl, timeout }) => {
    const api = new OpenAI({
      apiKey: "secret",
      baseURL: baseUrl,
      defaultHeaders: { Authorization: authorization },
      timeout,
      logLevel: "off"
    })
    return { list: () => api.get(organizations), remove: (id) => api.delete(keyOf(id)) }
  }
}
