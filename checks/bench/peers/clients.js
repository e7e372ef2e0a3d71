/** Clients of our API on other libraries, for `checks/bench/compare.ts`: a list, a deletion and an order, each as one call. */
import OpenAI from "openai"
import createClient from "openapi-fetch"

const organizations = "/v1/organizations"
const orders = "/v1/orders"
const order = { article: "chair" }
const keyOf = (id) => `${organizations}/${id}/keys/${id}`

/** openapi-fetch reports a refusal as a value. */
const unwrap = async (call) => {
  const { data, error, response } = await call
  if (error !== undefined) throw Object.assign(new Error(`HTTP ${response.status}`), { name: "error", cause: error })
  return data
}

export const clients = {
  fetch: ({ authorization, baseUrl }) => {
    const call = async (method, path, body) => {
      const headers = { authorization, ...(body && { "content-type": "application/json" }) }
      const response = await fetch(`${baseUrl}${path}`, { method, headers, body: JSON.stringify(body) })
      if (!response.ok) throw new Error(`HTTP ${response.status}`)
      return response.json()
    }
    return {
      list: () => call("GET", organizations),
      remove: (id) => call("DELETE", keyOf(id)),
      create: () => call("POST", orders, order)
    }
  },
  "openapi-fetch": ({ authorization, baseUrl }) => {
    const api = createClient({ baseUrl, headers: { authorization } })
    const key = `${organizations}/{organizationId}/keys/{keyId}`
    return {
      list: () => unwrap(api.GET(organizations)),
      remove: (id) => unwrap(api.DELETE(key, { params: { path: { organizationId: id, keyId: id } } })),
      create: () => unwrap(api.POST(orders, { body: order }))
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
    return {
      list: () => api.get(organizations),
      remove: (id) => api.delete(keyOf(id)),
      create: () => api.post(orders, { body: order })
    }
  }
}
