import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Recorder from "@cloud-management/testing/Recorder"

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

/** A transport that must not be used. */
export const offline: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.die("the transport was built")
)

/** A transport that a function of the test answers for. */
export const answering = (
  answer: (request: HttpClientRequest.HttpClientRequest, url: URL) => Response | Promise<Response>
): Layer.Layer<HttpClient.HttpClient> =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, url) =>
      Effect.map(
        Effect.promise(async () => answer(request, url)),
        (response) => HttpClientResponse.fromWeb(request, response)
      )
    )
  )

/** Runs an effect with a recorder that is closed after it. */
export const using =
  <E, R>(transport: Layer.Layer<HttpClient.HttpClient, E, R>, options: Recorder.Options) =>
  <A, E1>(effect: (http: HttpClient.HttpClient) => Effect.Effect<A, E1>) =>
    Effect.scoped(
      Effect.flatMap(
        Layer.build(transport.pipe(Recorder.layer(options), Layer.provide(NodeFileSystem.layer))),
        (context) => effect(Context.get(context, HttpClient.HttpClient))
      )
    )

/** Posts JSON, and reads the answer as text. */
export const post = (http: HttpClient.HttpClient, url: string, body: object) =>
  Effect.flatMap(
    http.execute(HttpClientRequest.post(url).pipe(HttpClientRequest.bodyJsonUnsafe(body))),
    ({ text }) => text
  )
