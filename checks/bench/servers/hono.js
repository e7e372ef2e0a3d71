import { serve } from "@hono/node-server"
import { Hono } from "hono"
import { listening, path, work } from "./work.js"

const app = new Hono()
const send = (context, { body, headers, status }) => context.json(body, status, headers)
app.get(path, (context) => {
  const { endpoint, organization, service } = context.req.param()
  const answer = work(context.req.header("authorization"), organization, service, endpoint)
  return answer instanceof Promise ? answer.then((answer) => send(context, answer)) : send(context, answer)
})
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => listening(port))
