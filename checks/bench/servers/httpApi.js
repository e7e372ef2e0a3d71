import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createServer } from "node:http"
import { listening, path, work } from "./work.js"

const read = HttpApiEndpoint.get("read", path, {
  params: { organization: Schema.String, service: Schema.String, endpoint: Schema.String },
  headers: { authorization: Schema.String },
  success: Schema.Unknown
})
const api = HttpApi.make("api").add(HttpApiGroup.make("endpoints").add(read))

const endpoints = HttpApiBuilder.group(api, "endpoints", (handlers) =>
  handlers.handle("read", ({ headers, params: { endpoint, organization, service } }) =>
    Effect.gen(function* () {
      const answer = work(headers.authorization, organization, service, endpoint)
      const { body, headers: own, status } = answer instanceof Promise ? yield* Effect.promise(() => answer) : answer
      return HttpServerResponse.jsonUnsafe(body, { status, headers: own })
    })
  )
)

const server = HttpRouter.serve(HttpApiBuilder.layer(api).pipe(Layer.provide(endpoints)), {
  disableLogger: true,
  disableListenLog: true
})
const listen = Layer.effectDiscard(Effect.map(HttpServer.HttpServer, ({ address }) => listening(address.port)))
const host = NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })
Effect.runFork(Layer.launch(Layer.mergeAll(server, listen).pipe(Layer.provide(host))))
