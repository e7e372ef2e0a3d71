import * as Transport from "@cloud-management/client/Transport"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import { dual, identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Cassette from "./internal/cassette.ts"
import * as Difference from "./internal/difference.ts"
import * as Recording from "./internal/recording.ts"
import * as Replay from "./internal/replay.ts"
import * as Secrets from "./internal/secrets.ts"
import * as Sent from "./internal/sent.ts"

/**
 * How a request is handled: `replay` takes its recording from the cassette, and fails without one; `record` sends it
 * and writes a new cassette; `update` takes its recording or, without one, sends it and adds it to the cassette.
 *
 * @category models
 * @since 0.1.0
 */
export type Mode = "replay" | "record" | "update"

/**
 * A request as a cassette shows it, without secrets: method, path, query, the headers of `matchHeaders`, and the body as
 * `{ json }`, `{ text }`, `{ base64 }` or `{ form }`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request extends Cassette.Request {}

/**
 * The cassette, and its use.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The path of the cassette. Its folder is created when it is written. */
  readonly file: string
  /** Default: `replay` if the variable `CI` is set, as on most build servers, otherwise `update`. */
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
  /** Whether unused recordings are an error when the layer closes. Default: `ignore`. */
  readonly unused?: "ignore" | "fail"
  /** Whether a replayed attempt takes as long as the recorded one did, by the clock of its fiber. Default: `immediate`. */
  readonly timing?: "immediate" | "recorded"
}

/**
 * The cassette cannot be used; the message names the file, the problem and the fix.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidCassette extends Data.TaggedError("InvalidCassette")<{
  readonly file: string
  readonly message: string
}> {}

/**
 * A request has no recording; the message shows the nearest one and the differences.
 *
 * **Details**
 *
 * A defect, because the test is wrong: the client does not retry it, and error handlers do not mistake it for an error
 * of the service.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotRecorded extends Data.TaggedError("NotRecorded")<{
  readonly file: string
  readonly message: string
}> {}

/**
 * Some recordings are unused and `unused` is `fail`: a defect when the layer closes.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnusedRecordings extends Data.TaggedError("UnusedRecordings")<{
  readonly file: string
  readonly message: string
}> {}

/**
 * The cassette was not written, because it would contain credentials or the file system failed.
 *
 * **Details**
 *
 * A defect when the layer closes. The file is unchanged.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotWritten extends Data.TaggedError("NotWritten")<{
  readonly file: string
  readonly message: string
}> {}

const modes: ReadonlyArray<string> = ["replay", "record", "update"] satisfies ReadonlyArray<Mode>
const remedy = 'record it again with the mode "record"'

/** A secret that was wiped is not. */
const isReadable = (value: unknown) =>
  Redacted.isRedacted(value) && Result.isSuccess(Result.try(() => Redacted.value(value)))

/** What an option has to be, and whether it is. Programs without types pass anything. */
const rules: Readonly<Record<keyof Options, readonly [rule: string, isValid: (value: unknown) => boolean]>> = {
  file: ["a path", (value) => Predicate.isString(value) && value !== ""],
  mode: [`one of ${modes.join(", ")}`, (value) => modes.some((mode) => mode === value)],
  matchHeaders: ["names", (value) => Array.isArray(value) && value.every(Predicate.isString)],
  normalize: ["a function", Predicate.isFunction],
  secrets: ["redacted strings", (value) => Array.isArray(value) && value.every(isReadable)],
  unused: ["one of ignore, fail", (value) => value === "ignore" || value === "fail"],
  timing: ["one of immediate, recorded", (value) => value === "immediate" || value === "recorded"]
}

const check = Effect.fnUntraced(function* (options: Options) {
  const { file } = options
  for (const [option, value] of Object.entries({ ...options, file })) {
    if (value === undefined && option !== "file") continue
    const [, [rule, isValid] = []] = Object.entries(rules).find(([name]) => name === option) ?? []
    const shown = Predicate.isString(value) ? `, not ${JSON.stringify(value)}` : ""
    const expected =
      rule === undefined ? `left out: the options are ${Object.keys(rules).join(", ")}` : `${rule}${shown}`
    if (isValid?.(value) !== true) {
      return yield* new InvalidCassette({
        file: String(file),
        message: `${option} of the recorder must be ${expected}`
      })
    }
  }
})

const modeOf = Effect.fnUntraced(function* (options: Options) {
  yield* check(options)
  const { mode } = options
  if (mode === undefined) {
    const ci = yield* Effect.orElseSucceed(Config.String("CI"), () => "")
    return /^(|0|false)$/i.test(ci) ? "update" : "replay"
  }
  return mode
})

const decode = Schema.decodeUnknownResult(Cassette.Cassette, { onExcessProperty: "error" })
const parse = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

/** The entries of a cassette; a missing file has none, if it can be written. */
const load = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, file: string, mode: Mode) {
  const fail = (problem: string) => new InvalidCassette({ file, message: `${file} ${problem}` })
  const text = yield* Effect.catch(fs.readFileString(file), (error) => {
    const isMissing = error.reason._tag === "NotFound"
    if (isMissing && mode === "update") return Effect.undefined
    return Effect.fail(
      isMissing
        ? fail('does not exist: record it with the mode "record" or "update"')
        : fail(`cannot be read: ${error.message}`)
    )
  })
  if (text === undefined) return []
  const json = parse(text)
  if (Result.isFailure(json)) return yield* fail(`is not JSON: restore it, or ${remedy}`)
  if (Predicate.hasProperty(json.success, "version") && json.success.version !== Cassette.version) {
    const found = JSON.stringify(json.success.version)
    return yield* fail(`has format version ${found}, but this release reads version ${Cassette.version}: ${remedy}`)
  }
  const cassette = decode(json.success)
  if (Result.isFailure(cassette)) return yield* fail(`is not a cassette: ${cassette.failure.message}: ${remedy}`)
  return cassette.success.entries
})

/** Writes a file next to the cassette and then renames it, so that the cassette is always complete. */
const save = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, file: string, text: string) {
  const folder = file.replace(/[\\/][^\\/]*$/, "")
  if (folder !== file && folder !== "") yield* fs.makeDirectory(folder, { recursive: true })
  const temporary = `${file}.${(yield* Random.nextIntBetween(0, 2 ** 32)).toString(36)}.tmp`
  yield* fs.writeFileString(temporary, text).pipe(
    Effect.andThen(fs.rename(temporary, file)),
    Effect.onError(() => Effect.ignore(fs.remove(temporary, { force: true })))
  )
})

const decodeRequest = Schema.decodeUnknownResult(Cassette.Request, { onExcessProperty: "error" })

/** The request as the cassette will have it. Throws for what is not one, which would make the cassette unreadable. */
const normalized =
  (normalize: NonNullable<Options["normalize"]>) =>
  (request: Request): Request => {
    const text: string | undefined = JSON.stringify(normalize(request))
    const result = decodeRequest(text === undefined ? undefined : JSON.parse(text))
    if (Result.isSuccess(result)) return result.success
    throw new TypeError(`normalize of the recorder must return a request: ${result.failure.message}`)
  }

/** Headers whose values are always secret. */
const secretHeaders = ["authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key"]

const title = ({ method, path }: Pick<Cassette.Request, "method" | "path">) => `${method} ${path}`

const notRecorded = (
  file: string,
  entries: ReadonlyArray<Cassette.Entry>,
  used: ReadonlySet<number>,
  request: Cassette.Request
): NotRecorded => {
  const near = [...entries.entries()]
    .map(([index, entry]) => ({ index, entry, distance: Difference.distance(entry.request, request) }))
    .sort((a, b) => a.distance - b.distance || Number(used.has(a.index)) - Number(used.has(b.index)))[0]
  const path = near === undefined ? request.path : Difference.pathBeside(near.entry.request, request)
  const lines = [`${file} has no recording left for ${title({ ...request, path })}`]
  if (near === undefined) lines.push("The cassette is empty.")
  else {
    const replayed = used.has(near.index) ? ", which was already replayed" : ""
    lines.push(
      `The nearest is entry ${near.index + 1} of ${entries.length}, ${title(near.entry.request)}${replayed}`,
      ...Difference.differences(near.entry.request, request)
        .slice(0, 10)
        .map((difference) => `  ${difference}`)
    )
  }
  lines.push('Add it with the mode "update", or record everything again with "record".')
  return new NotRecorded({ file, message: lines.join("\n") })
}

const make = Effect.fnUntraced(function* (options: Options, mode: Mode, transport: HttpClient.HttpClient | undefined) {
  const { file, timing = "immediate", unused = "ignore" } = options
  const normalize = options.normalize === undefined ? identity : normalized(options.normalize)
  const names = (options.matchHeaders ?? []).map((name) => name.toLowerCase())
  const fs = yield* FileSystem.FileSystem
  const entries = mode === "record" ? [] : yield* load(fs, file, mode)
  const used = new Set<number>()
  const attempts: Array<Recording.Attempt> = []
  const secrets = Secrets.make()
  for (const secret of options.secrets ?? []) secrets.add(Redacted.value(secret))

  /** The first recording of a request that no other took; one with a secret in it only where no other is the same. */
  const take = (request: Cassette.Request): Cassette.Entry | undefined => {
    const left = [...entries.entries()].filter(([index]) => !used.has(index))
    const [index, entry] =
      left.find(([, { request: recorded }]) => Difference.isSame(recorded, request)) ??
      left.find(([, { request: recorded }]) => Difference.differences(recorded, request).length === 0) ??
      []
    if (index !== undefined) used.add(index)
    return entry
  }

  const execute = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const { forwarded, sent } = yield* Sent.make(request)
    // a program's own names take the place of Effect's
    const redactedNames = [...secretHeaders, ...(yield* Headers.CurrentRedactedNames)]
    secrets.addHeaders(request.headers, redactedNames)
    for (const secret of sent.secrets) secrets.add(secret)
    const wanted = normalize(Sent.toRequest(sent, secrets, names))
    const entry = take(wanted)
    if (entry !== undefined) {
      const response = HttpClient.make((request) => Replay.respond(entry, request)).execute(request)
      return yield* timing === "recorded" ? Effect.delay(response, Duration.millis(entry.millis)) : response
    }
    if (transport === undefined) return yield* Effect.die(notRecorded(file, entries, used, wanted))
    const attempt = Recording.make(sent)
    attempts.push(attempt)
    return yield* Effect.ensuring(
      Recording.send(transport, forwarded, attempt),
      Effect.sync(() => secrets.addHeaders(attempt.response?.headers ?? Headers.empty, redactedNames))
    )
  })

  const write = Effect.suspend(() => {
    const made = attempts.map((attempt) => Recording.toEntry(attempt, secrets, names))
    const all = [...entries, ...made.map((entry) => ({ ...entry, request: normalize(entry.request) }))]
    const unsafe = all.findIndex((entry) => secrets.show(JSON.stringify(entry)))
    const entry = all[unsafe]
    if (entry !== undefined) {
      const message =
        `${file} was not written: entry ${unsafe + 1}, ${title(entry.request)}, would still contain credentials. ` +
        "Record with other credentials, which no response contains and which are not ordinary text."
      return Effect.die(new NotWritten({ file, message }))
    }
    const text = `${JSON.stringify({ version: Cassette.version, entries: all }, null, 2)}\n`
    return Effect.catch(save(fs, file, text), (error) =>
      Effect.die(new NotWritten({ file, message: `${file} was not written: ${error.message}` }))
    )
  })

  const checkUnused = Effect.suspend(() => {
    const rest = [...entries.entries()].filter(([index]) => !used.has(index))
    if (unused === "ignore" || rest.length === 0) return Effect.void
    const list = rest.map(([index, { request }]) => `\n  entry ${index + 1}, ${title(request)}`).join("")
    const message = `${file} has recordings that no request used; ${remedy} if they are no longer needed:${list}`
    return Effect.die(new UnusedRecordings({ file, message }))
  })

  yield* Effect.addFinalizer((exit) => {
    // such a run is incomplete: it neither replaces a cassette nor has to take all of it
    if (Exit.isFailure(exit) && (Cause.hasInterrupts(exit.cause) || Cause.hasDies(exit.cause))) return Effect.void
    return Effect.andThen(
      // a failure before the first request has nothing to put in place of a cassette
      attempts.length > 0 || (mode === "record" && Exit.isSuccess(exit)) ? write : Effect.void,
      mode === "record" ? Effect.void : checkUnused
    )
  })

  return Transport.make(execute)
})

/** A transport with a recorder. */
type Recorded<E, R> = Layer.Layer<HttpClient.HttpClient, E | InvalidCassette, R | FileSystem.FileSystem>

/**
 * Wraps a transport so that its traffic is recorded into a file, a cassette, and replayed from it.
 *
 * **When to use**
 *
 * To test a program against the responses of a real service, without that service. For tests that need no recording,
 * use `InMemoryTransport`.
 *
 * **Details**
 *
 * Each attempt is an entry: the request, its duration, and its response or failure. A request takes the first unused
 * entry with the same method, path, query and body (and `matchHeaders`). In `replay`, the transport is not built. The
 * cassette is written when the layer closes, except after an interruption or a defect.
 *
 * Credentials in request headers, and cookies, are replaced by `[redacted]` wherever they are repeated. A cassette that
 * would still contain one is not written. `docs/library/recording.md` has the format and the rules.
 *
 * **Gotchas**
 *
 * In `replay`, an attempt that the program aborted, such as one that timed out, lasts until it is aborted again. The
 * recorder does not know secrets that appear only in responses: name them in `secrets`, or record with test data.
 *
 * **Example** (Testing with a cassette)
 *
 * ```ts
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import * as Layer from "effect/Layer"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as NodeTransport from "@cloud-management/node/NodeTransport"
 * import * as Recorder from "@cloud-management/testing/Recorder"
 *
 * const cloud = CloudManagement.layerConfig().pipe(
 *   Layer.provide(NodeTransport.layer.pipe(Recorder.layer({ file: "test/cassettes/organizations.json" }))),
 *   Layer.provide(NodeFileSystem.layer)
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: {
  (options: Options): <E, R>(transport: Layer.Layer<HttpClient.HttpClient, E, R>) => Recorded<E, R>
  <E, R>(transport: Layer.Layer<HttpClient.HttpClient, E, R>, options: Options): Recorded<E, R>
} = dual(2, <E, R>(transport: Layer.Layer<HttpClient.HttpClient, E, R>, options: Options): Recorded<E, R> =>
  Layer.unwrap(
    Effect.map(modeOf(options), (mode): Recorded<E, R> =>
      mode === "replay"
        ? Layer.effect(HttpClient.HttpClient, make(options, mode, undefined))
        : Layer.effect(
            HttpClient.HttpClient,
            Effect.flatMap(HttpClient.HttpClient, (client) => make(options, mode, client))
          ).pipe(Layer.provide(transport))
    )
  )
)
