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
  const answer = work((name) => request.headers[name], request.url, found[1], found[2], found[3])
  if (answer instanceof Promise) void answer.then((answer) => send(response, answer))
  else send(response, answer)
})
server.listen(0, "127.0.0.1", () => listening(server.address().port))
