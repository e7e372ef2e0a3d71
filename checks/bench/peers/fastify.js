import Fastify from "fastify"
import { listening, path, work } from "./work.js"

const server = Fastify()
const send = (reply, { body, headers, status }) => reply.code(status).headers(headers).send(body)
server.get(path, (request, reply) => {
  const { endpoint, organization, service } = request.params
  const result = work((name) => request.headers[name], request.url, organization, service, endpoint)
  if (result instanceof Promise) return result.then((result) => send(reply, result))
  send(reply, result)
})
await server.listen({ host: "127.0.0.1", port: 0 })
listening(server.server.address().port)
