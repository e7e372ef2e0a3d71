/**
 * A transport of your own, and the proof that it is one: a transport is a Layer that provides `HttpClient`, and the
 * conformance cases are data that run over any. This one is on `node:http`.
 */
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import { Conformance, ConformanceService } from "@cloud-management/testing"
import { Console, Effect, Exit, Layer, Result, Stream } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import * as Http from "node:http"

/** These have no body (RFC 9110 §6.4.1), and a `Response` refuses one. */
const bodiless = [204, 205, 304]

const toWeb = (message: Http.IncomingMessage) => {
  const { headersDistinct, statusCode: status = 0 } = message
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  const body = Stream.toReadableStream(
    Stream.fromAsyncIterable<Uint8Array<ArrayBuffer>, unknown>(message, (cause) => cause)
  )
  return new Response(bodiless.includes(status) ? null : body, { status, headers })
}

/** The body of a request, with the headers that describe it. */
const contentOf = (request: HttpClientRequest.HttpClientRequest) => {
  const { body } = request
  switch (body._tag) {
    case "Empty":
      return Effect.succeed({ body: undefined, headers: {} })
    case "Uint8Array":
      return Effect.succeed({ body: body.body, headers: {} })
    case "FormData":
      return Effect.promise(async () => {
        const form = new Response(body.formData)
        return { body: await form.bytes(), headers: Object.fromEntries(form.headers) }
      })
    default: {
      const { body: content } = body._tag === "Raw" ? body : { body: undefined }
      // a form whose parts have types of their own
      if (content instanceof Blob) return Effect.promise(async () => ({ body: await content.bytes(), headers: {} }))
      // this says that nothing was sent
      return Effect.fail(new HttpClientError.EncodeError({ request, description: "streams are not sent" }))
    }
  }
}

/** The `signal` aborts when the call is interrupted: passing it on is all that interruption asks of a transport. */
const transport = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request, url, signal) =>
    Effect.gen(function* () {
      const { body, headers } = yield* contentOf(request)
      const response = yield* Effect.callback<Response, unknown>((resume) => {
        Http.request(url, { method: request.method, headers: { ...request.headers, ...headers }, signal })
          // a Response throws for a status that it does not know
          .on("response", (message) => resume(Effect.fromResult(Result.try(() => toWeb(message)))))
          .on("error", (cause) => resume(Effect.fail(cause)))
          .end(body)
      }).pipe(Effect.mapError((cause) => new HttpClientError.TransportError({ request, cause })))
      return HttpClientResponse.fromWeb(request, response)
    }).pipe(Effect.mapError((reason) => new HttpClientError.HttpClientError({ reason })))
  )
)

const program = Effect.gen(function* () {
  const { url } = yield* HttpHost.HttpHost
  let failed = 0
  for (const { effect, name, section } of Conformance.cases(url)) {
    const exit = yield* Effect.exit(effect)
    if (Exit.isSuccess(exit)) continue
    failed++
    yield* Console.log(`${section}: ${name}: ${String(exit)}`)
  }
  yield* Console.log(`${Conformance.cases(url).length} cases, ${failed} failed`)
})

const host = HttpHost.layer().pipe(Layer.provide(ConformanceService.layer))

await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(transport, host))))
