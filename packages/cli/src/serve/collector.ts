import { Duration, Effect, Layer, Option, Predicate, References, Schedule, Schema, Semaphore } from "effect"
import { type Headers, HttpClient, UrlParams } from "effect/http"
import type { HttpClientError } from "effect/http/HttpClientError"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import { OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import { NodeTransport } from "@cloud-management/node"
import type { Tls } from "@cloud-management/node/TransportOptions"
import { brief } from "../output/foreign.ts"
import { version } from "../version.ts"

const exporters = {
  traces: OtlpTracer.layerFromConfig,
  metrics: OtlpMetrics.layerFromConfig,
  logs: OtlpLogger.layerFromConfig
}

const serializations = { "http/protobuf": OtlpSerialization.layerProtobuf, "http/json": OtlpSerialization.layerJson }

export interface Settings {
  readonly signal: keyof typeof exporters
  readonly protocol: keyof typeof serializations
  readonly headers: Headers.Input
  /** The limit for an export, including all its attempts. */
  readonly timeout: Duration.Duration
  readonly tls?: Tls
}

const limit = 8

const retryAfter = (response: HttpClientResponse | undefined): string | undefined => response?.headers["retry-after"]

/** The fields of a protobuf message, the last of each number (protobuf.dev/programming-guides/encoding). */
const fieldsOf = (bytes: Uint8Array): ReadonlyMap<number, number | Uint8Array> => {
  const fields = new Map<number, number | Uint8Array>()
  let at = 0
  const varint = () => {
    let value = 0
    for (let factor = 1, byte = 128; byte >= 128; factor *= 128) value += ((byte = bytes[at++] ?? 0) & 127) * factor
    return value
  }
  while (at < bytes.length) {
    const tag = varint()
    const value = varint()
    // of other types there are none in a response
    fields.set(tag >> 3, tag % 8 === 2 ? bytes.subarray(at, (at += value)) : value)
  }
  return fields
}

/** The response of a collector that rejected part of an export. */
const PartialSuccess = Schema.fromJsonString(
  Schema.Struct({ partialSuccess: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite])) })
)
const partialOf = (bytes: Uint8Array, contentType = ""): string | undefined => {
  const text = (value: string | number | Uint8Array = "") =>
    value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)
  const part = contentType.startsWith("application/json")
    ? Option.toArray(Schema.decodeUnknownOption(PartialSuccess)(text(bytes))).flatMap(
        ({ partialSuccess: { errorMessage, ...rejected } }) => [Object.values(rejected)[0], errorMessage]
      )
    : [fieldsOf(bytes).get(1)].flatMap((inner) =>
        inner instanceof Uint8Array ? [fieldsOf(inner).get(1), fieldsOf(inner).get(2)] : []
      )
  const [count, message] = part
  if (count === undefined && message === undefined) return undefined
  return `${text(count ?? 0)} were rejected: ${brief(text(message))}`
}

/** Without the endpoint and the headers, which can hold credentials. */
const why = ({ reason }: HttpClientError): string => {
  if (reason._tag === "StatusCodeError") {
    const wait = retryAfter(reason.response)
    return `HTTP ${reason.response.status}${wait === undefined ? "" : `, Retry-After: ${brief(wait)}`}`
  }
  return Predicate.hasProperty(reason.cause, "code") ? String(reason.cause.code) : reason._tag
}

/** The client of an exporter, which itself has no limits: of the time, and of exports at once. Only changes are logged. */
export const client = ({ signal, timeout }: Pick<Settings, "signal" | "timeout">) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (transport) => {
      const slots = Semaphore.makeUnsafe(limit)
      let failing = false
      let partial: string | undefined
      // without the exporter's annotations, which name a package that is not here
      const log = (line: Effect.Effect<void>) => Effect.provideService(line, References.CurrentLogAnnotations, {})
      const tell = (isFailing: boolean, line: Effect.Effect<void>) =>
        Effect.suspend(() => {
          if (failing === isFailing) return Effect.void
          failing = isFailing
          return log(line)
        })
      const notePart = Effect.fnUntraced(function* (response: HttpClientResponse) {
        const found = partialOf(new Uint8Array(yield* response.arrayBuffer), response.headers["content-type"])
        if (response.status !== 200 || found === partial) return
        partial = found
        if (found !== undefined) yield* log(Effect.logWarning(`the collector accepts ${signal} in part: ${found}`))
      })
      return transport.pipe(
        HttpClient.withScope,
        HttpClient.tap((response) => Effect.ignore(notePart(response))),
        HttpClient.filterStatusOk,
        HttpClient.transformResponse(Effect.scoped),
        // a collector that says when to send again is not sent to before that: Effect's exporter pauses
        HttpClient.transformResponse(
          Effect.catch((error) => Effect.fail(retryAfter(error.response) === undefined ? error : why(error)))
        ),
        HttpClient.retryTransient({ schedule: Schedule.spaced("1 second"), times: 3 }),
        HttpClient.transformResponse((response): Effect.Effect<HttpClientResponse, HttpClientError> =>
          Effect.suspend(() => {
            const failed = failing
            return response.pipe(
              Effect.mapError((error) => (Predicate.isString(error) ? error : why(error))),
              Effect.timeoutOrElse({
                duration: timeout,
                orElse: () => Effect.fail(`no response within ${Duration.format(timeout)}`)
              }),
              slots.withPermitsIfAvailable(1),
              Effect.flatMap((ended) => Effect.fromOption(ended, () => `${limit} exports are in progress`)),
              // one that began before the first failure tells nothing of what came after
              Effect.tap(() =>
                failed ? tell(false, Effect.logInfo(`the collector accepts ${signal} again`)) : Effect.void
              ),
              Effect.catch((why) =>
                Effect.andThen(
                  tell(true, Effect.logWarning(`the collector does not accept ${signal}, so they are dropped: ${why}`)),
                  // of an error the exporter would try again; of a defect it drops what it has, and pauses for a minute
                  Effect.die(why)
                )
              )
            )
          })
        )
      )
    })
  )

/** Sends one kind of telemetry to a collector. Query strings are not sent. */
export const layer = (settings: Settings) =>
  exporters[settings.signal]({ resource: { serviceVersion: version }, headers: settings.headers }).pipe(
    Layer.provide(serializations[settings.protocol]),
    Layer.provide(client(settings)),
    Layer.provide(NodeTransport.layerOptions({ proxy: "env", ...(settings.tls && { tls: settings.tls }) })),
    Layer.merge(Layer.succeed(UrlParams.CurrentRedactedNames, [/^/]))
  )
