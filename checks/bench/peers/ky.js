import ky from "ky"

const api = ky.create({
  baseUrl: "https://api.example.com/v1/",
  headers: { authorization: `Basic ${btoa("id:secret")}` }
})

const { result } = await api.get("organizations").json()
const [{ id }] = result
await api.delete(`organizations/${id}/keys/key`)
console.log(await api.get(`organizations/${id}/services/service/pipesReversePrivateEndpoints/endpoint`).json())
