import { FetchTransport } from "@cloud-management/browser"
import { Deferred, Effect, Fiber, Record, Stream } from "effect"
import { HttpBody, HttpClient } from "effect/http"
import { run } from "../run.ts"

const source = (stream: Stream.Stream<Uint8Array, unknown>) => {
  const closed = Deferred.makeUnsafe<void>()
  const counted = Stream.ensuring(stream, Deferred.succeed(closed, undefined))
  return { body: HttpBody.stream(counted), closed: Deferred.await(closed) }
}
const chunk = new Uint8Array(65_536)
const stalled = Stream.concat(Stream.make(chunk), Stream.never)

const expect = (actual: unknown, expected: string) =>
  String(actual).includes(expected) ? Effect.void : Effect.fail(`${String(actual)} is not ${expected}`)

const cases = (url: string) => {
  const post = (path: string, body: HttpBody.HttpBody) =>
    Effect.flatMap(HttpClient.post(url + path, { body }), ({ text }) => text)
  const ends = Effect.flatMap(HttpClient.get(`${url}/ends`), ({ text }) => text)
  return {
    "a stream arrives whole": Effect.gen(function* () {
      const { body, closed } = source(Stream.take(Stream.forever(Stream.make(chunk)), 64))
      yield* expect(yield* post("/size", body), String(64 * chunk.length))
      yield* closed
    }),
    "a source that fails fails the request, which is not complete": Effect.gen(function* () {
      const { body, closed } = source(Stream.concat(Stream.make(chunk), Stream.fail(new Error("disk on fire"))))
      const { reason } = yield* Effect.flip(post("/broken", body))
      yield* expect("cause" in reason && reason.cause instanceof Error && reason.cause.cause, "disk on fire")
      yield* closed
      yield* expect(yield* ends, "/broken breaks off")
    }),
    "a source that stalls is closed when the server responds": Effect.gen(function* () {
      const { body, closed } = source(stalled)
      yield* expect(yield* post("/early", body), "early")
      yield* closed
    }),
    "a source that stalls is closed when the call is interrupted": Effect.gen(function* () {
      const { body, closed } = source(stalled)
      const call = yield* Effect.forkChild(post("/interrupted", body), { startImmediately: true })
      yield* Effect.flatMap(HttpClient.get(`${url}/arrived`), ({ text }) => text)
      yield* Fiber.interrupt(call)
      yield* closed
      yield* expect(yield* ends, "/interrupted breaks off")
    })
  }
}

export const results = (url: string, isEarly: boolean) =>
  Effect.provide(
    run(Record.filter(cases(url), (_, name) => isEarly || !name.endsWith("when the server responds"))),
    FetchTransport.layerStreams
  )
