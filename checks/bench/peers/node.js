import { createServer } from "node:http"
import { listening, path, work } from "./work.js"

const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, "([^/]+)")}$`)

const send = (response, { body, headers, status }) => {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers
  })
  response.end(text)
}

const server = createServer((request, response) => {
  const found = pattern.exec(request.url)
  if (found === null) return response.writeHead(404).end()
  const result = work((name) => request.headers[name], request.url, found[1], found[2], found[3])
  if (result instanceof Promise) void result.then((result) => send(response, result))
  else send(response, result)
})
server.listen(0, "127.0.0.1", () => listening(server.address().port))
