const headers = { accept: "application/json", authorization: `Basic ${btoa("id:secret")}` }

const call = async (method, path) => {
  const response = await fetch(`https://api.example.com/v1/organizations${path}`, { method, headers })
  if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status}`)
  return response.json()
}

const { result } = await call("GET", "")
const [{ id }] = result
await call("DELETE", `/${id}/keys/key`)
console.log(await call("GET", `/${id}/services/service/pipesReversePrivateEndpoints/endpoint`))
