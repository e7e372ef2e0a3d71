import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Cause, Context, Effect, Exit, FileSystem, Layer } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { Recorder } from "@cloud-management/testing"

export const origin = "http://service.example"

/** A folder of the test with a cassette, and what records and replays it. */
export const folder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* fs.makeTempDirectoryScoped({ prefix: "recorder-" })
  const file = `${path}/cassettes/test.json`
  return {
    fs,
    path,
    file,
    read: Effect.map(fs.readFileString(file), (text): unknown => JSON.parse(text)),
    text: fs.readFileString(file),
    record: <E, R>(transport: Layer.Layer<HttpClient.HttpClient, E, R>, options: Partial<Recorder.Options> = {}) =>
      using(transport, { ...options, file, mode: "record" }),
    replay: (options: Partial<Recorder.Options> = {}) => using(offline, { ...options, file, mode: "replay" })
  }
}).pipe(Effect.provide(NodeFileSystem.layer))

export const offline: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.die("the transport was built")
)

export const responding = (
  respond: (request: HttpClientRequest.HttpClientRequest, url: URL) => Response | Promise<Response>
): Layer.Layer<HttpClient.HttpClient> =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, url) =>
      Effect.map(
        Effect.promise(async () => respond(request, url)),
        (response) => HttpClientResponse.fromWeb(request, response)
      )
    )
  )

export const using =
  <E, R>(transport: Layer.Layer<HttpClient.HttpClient, E, R>, options: Recorder.Options) =>
  <A, E1>(effect: (http: HttpClient.HttpClient) => Effect.Effect<A, E1>) =>
    Effect.scoped(
      Effect.flatMap(
        Layer.build(transport.pipe(Recorder.layer(options), Layer.provide(NodeFileSystem.layer))),
        (context) => effect(Context.get(context, HttpClient.HttpClient))
      )
    )

export const text = (http: HttpClient.HttpClient, request: HttpClientRequest.HttpClientRequest) =>
  Effect.flatMap(http.execute(request), ({ text }) => text)
export const get = (path: string) => HttpClientRequest.get(origin + path)
export const post = (path: string, body: unknown) =>
  HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(origin + path), body)

export const defect = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => (Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "no defect"))
