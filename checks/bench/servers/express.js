import express from "express"
import { listening, path, work } from "./work.js"

const app = express()
app.disable("x-powered-by").disable("etag")
const send = (response, { body, headers, status }) => response.status(status).set(headers).json(body)
app.get(path, (request, response) => {
  const { endpoint, organization, service } = request.params
  const answer = work(request.headers.authorization, organization, service, endpoint)
  if (answer instanceof Promise) return answer.then((answer) => send(response, answer))
  send(response, answer)
})
const server = app.listen(0, "127.0.0.1", () => listening(server.address().port))
