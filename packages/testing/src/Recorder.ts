import * as Transport from "@cloud-management/client/Transport"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import { dual } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Cassette from "./internal/cassette.ts"
import * as Exchange from "./internal/exchange.ts"
import * as Matching from "./internal/matching.ts"
import * as Secrets from "./internal/secrets.ts"

type Mode = "replay" | "record" | "update"

/** A request as a cassette shows it, without secrets. Its headers are those of `matchHeaders`. */
export type Request = Cassette.Request

/** The cassette, and its use. */
export interface Options {
  /** The path of the cassette. Its folder is created when it is written. */
  readonly file: string
  /**
   * `replay` takes the recording of a request from the cassette, and fails without one; `record` sends it and writes a new
   * cassette; `update` takes its recording or, without one, sends it and adds it to the cassette. Default: `replay` if the
   * variable `CI` is set, as on most build servers, otherwise `update`.
   */
  readonly mode?: Mode | undefined
  /** Headers that a request must share with its recording, by name. Default: none. */
  readonly matchHeaders?: ReadonlyArray<string>
  /**
   * Changes requests before they are compared and written; what is sent stays the same. For parts that are different in
   * each run, such as a timestamp or a random value: give them a fixed one. Default: none.
   */
  readonly normalize?: ((request: Request) => Request) | undefined
  /** Strings that must not be written, besides the credentials in the headers of the requests. Default: none. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted<string>>
  /** Whether a replayed attempt takes as long as the recorded one did, by the clock of its fiber. Default: `immediate`. */
  readonly timing?: "immediate" | "recorded"
}

/** The cassette cannot be used; the message names the file, the problem and the fix. */
export class InvalidCassette extends Data.TaggedError("InvalidCassette")<{ readonly message: string }> {}

/**
 * A request has no recording; the message shows the nearest one and the differences. A defect, because the test is wrong:
 * the client does not retry it, and error handlers do not mistake it for an error of the service.
 */
export class NotRecorded extends Data.TaggedError("NotRecorded")<{ readonly message: string }> {}

const decode = Schema.decodeEffect(Schema.fromJsonString(Cassette.Cassette), { onExcessProperty: "error" })

/** The entries of a cassette; a missing file has none, if it can be written. */
const load = (fs: FileSystem.FileSystem, file: string, mode: Mode) =>
  Effect.flatMap(fs.readFileString(file), decode).pipe(
    Effect.map(({ entries }) => entries),
    Effect.catch((error) => {
      const isNew = mode === "update" && error._tag === "PlatformError" && error.reason._tag === "NotFound"
      const message = `${file} is not a cassette: ${error.message}: record it with the mode "record"`
      return isNew ? Effect.succeed([]) : Effect.fail(new InvalidCassette({ message }))
    })
  )

/** Writes a file next to the cassette and then renames it, so that the cassette is always complete. */
const save = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, file: string, cassette: unknown) {
  const folder = file.slice(0, Math.max(0, file.lastIndexOf("/"), file.lastIndexOf("\\")))
  if (folder !== "") yield* fs.makeDirectory(folder, { recursive: true })
  yield* fs.writeFileString(`${file}.tmp`, `${JSON.stringify(cassette, null, 2)}\n`).pipe(
    Effect.andThen(fs.rename(`${file}.tmp`, file)),
    Effect.onError(() => Effect.ignore(fs.remove(`${file}.tmp`, { force: true })))
  )
})

/** Headers whose values are always secret. */
const secretHeaders = ["authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key"]

const make = Effect.fnUntraced(function* (options: Options, mode: Mode, transport: HttpClient.HttpClient | undefined) {
  const { file, matchHeaders = [], normalize: change, timing } = options
  const normalize = (request: Request) => (change === undefined ? request : Cassette.request(change(request), secrets))
  const names = matchHeaders.map((name) => name.toLowerCase())
  const fs = yield* FileSystem.FileSystem
  const entries = mode === "record" ? [] : yield* load(fs, file, mode)
  const recordings = Matching.make(entries)
  const attempts: Array<ReturnType<typeof Exchange.attempt>> = []
  const secrets = Secrets.make()
  for (const secret of options.secrets ?? []) secrets.add(Redacted.value(secret))

  const execute = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    // a program's own names take the place of Effect's
    const redactedNames = [...secretHeaders, ...(yield* Headers.CurrentRedactedNames)]
    secrets.addHeaders(request.headers, redactedNames)
    const sent = yield* Exchange.read(request, names, secrets)
    const wanted = normalize(sent.show())
    const entry = recordings.take(wanted)
    if (entry !== undefined) {
      const response = HttpClient.make((request) => Exchange.replay(entry, request)).execute(request)
      return yield* timing === "recorded" ? Effect.delay(response, Duration.millis(entry.millis)) : response
    }
    if (transport === undefined) {
      const message = `${file} has no recording left for ${recordings.explain(wanted)}
Add it with the mode "update", or record everything again with "record".`
      return yield* Effect.die(new NotRecorded({ message }))
    }
    const attempt = Exchange.attempt(secrets, () => normalize(sent.show()))
    attempts.push(attempt)
    return yield* Effect.ensuring(
      attempt.send(transport, sent.forwarded),
      Effect.sync(() => secrets.addHeaders(attempt.headers(), redactedNames))
    )
  })

  const write = Effect.gen(function* () {
    const fail = (problem: string) => Effect.die(new Error(`${file} was not written: ${problem}`))
    const made = yield* Effect.all(attempts.map(({ entry }) => entry))
    const all = [...entries, ...made]
    const unsafe = all.findIndex((entry) => secrets.show(JSON.stringify(entry)))
    const request = all[unsafe]?.request
    return yield* request === undefined
      ? Effect.catch(save(fs, file, { version: 1, entries: all }), ({ message }) => fail(message))
      : fail(
          `entry ${unsafe + 1}, ${request.method} ${request.path}, would still contain credentials. ` +
            "Record with other credentials, which no response contains and which are not ordinary text."
        )
  })

  // an interrupted run and one with a defect are incomplete; a failure before the first request has nothing to write
  yield* Effect.addFinalizer((exit) => {
    if (Exit.isFailure(exit) && (Cause.hasInterrupts(exit.cause) || Cause.hasDies(exit.cause))) return Effect.void
    return attempts.length > 0 || (mode === "record" && Exit.isSuccess(exit)) ? write : Effect.void
  })

  return Transport.make(execute)
})

/** A transport with a recorder. */
type Recorded<E, R> = Layer.Layer<HttpClient.HttpClient, E | InvalidCassette, R | FileSystem.FileSystem>

/**
 * Wraps a transport so that its traffic is recorded into a file, a cassette, and replayed from it without the service.
 *
 * **Details**
 *
 * A request takes the first unused recording with the same method, path, query and body. In `replay`, the transport is
 * not built. The cassette is written when the layer closes, except after an interruption or a defect. Credentials in
 * request headers, and cookies, are replaced by `[redacted]` wherever they are repeated. A cassette that would still
 * contain one is not written. The recorder does not know secrets that appear only in responses: name them in `secrets`,
 * or record with test data. `docs/library/recording.md` has the format and the rules.
 */
export const layer: {
  (options: Options): <E, R>(transport: Layer.Layer<HttpClient.HttpClient, E, R>) => Recorded<E, R>
  <E, R>(transport: Layer.Layer<HttpClient.HttpClient, E, R>, options: Options): Recorded<E, R>
} = dual(2, <E, R>(transport: Layer.Layer<HttpClient.HttpClient, E, R>, options: Options): Recorded<E, R> =>
  Layer.unwrap(
    Effect.gen(function* (): Effect.fn.Return<Recorded<E, R>> {
      const ci = yield* Effect.orElseSucceed(Config.String("CI"), () => "")
      const { mode = /^(|0|false)$/i.test(ci) ? "update" : "replay" } = options
      if (mode === "replay") return Layer.effect(HttpClient.HttpClient, make(options, mode, undefined))
      const recorded = Effect.flatMap(HttpClient.HttpClient, (client) => make(options, mode, client))
      return Layer.provide(Layer.effect(HttpClient.HttpClient, recorded), transport)
    })
  )
)
