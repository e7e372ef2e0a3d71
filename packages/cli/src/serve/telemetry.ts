import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { InvalidTransportOption } from "@cloud-management/node/TransportOptions"
import { variable } from "../input/Environment.ts"
import * as Failure from "../output/Failure.ts"
import type { Settings } from "./collector.ts"

const signals = ["traces", "metrics", "logs"] as const
const protocols = ["http/protobuf", "http/json"] as const

/** What OpenTelemetry's specification has for defaults. */
const defaults = ConfigProvider.fromEnv({
  env: {
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_LOGS_EXPORTER: "otlp",
    OTEL_SERVICE_NAME: "cloud-management"
  }
})

/** What is read here in another way. Effect takes a timeout for the time that the last export has when the process stops. */
const settled = ConfigProvider.fromEnv({
  env: {
    OTEL_SDK_DISABLED: "false",
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "3000",
    OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: "3000",
    OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: "3000"
  }
})

/** What OpenTelemetry's specification has in any letter case, and ignores with a warning if it is something else. */
const choice = Effect.fnUntraced(function* <const A extends string>(name: string, values: ReadonlyArray<A>) {
  const text = yield* variable(name)
  const chosen = Option.flatMapNullishOr(text, (text) => values.find((value) => value === text.trim().toLowerCase()))
  if (Option.isSome(text) && Option.isNone(chosen)) {
    yield* Effect.logWarning(`${name} is ignored: expected ${values.join(" or ")}`)
  }
  return chosen
})

/** Those that Effect reads in lower case only. */
const choices = [
  ...["", "TRACES_", "METRICS_", "LOGS_"].map(
    (signal) => [`OTEL_EXPORTER_OTLP_${signal}COMPRESSION`, ["none", "gzip"]] as const
  ),
  ["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", ["cumulative", "delta"]] as const,
  ...signals.map((signal) => [`OTEL_${signal.toUpperCase()}_EXPORTER`, ["otlp", "none"]] as const)
]

/** Numbers, which the specification ignores with a warning as well. */
const numbers = [
  ...["", "TRACES_", "METRICS_", "LOGS_"].map((signal) => `OTEL_EXPORTER_OTLP_${signal}TIMEOUT`),
  ...["BSP", "BLRP"].flatMap((processor) =>
    ["SCHEDULE_DELAY", "EXPORT_TIMEOUT", "MAX_EXPORT_BATCH_SIZE"].map((what) => `OTEL_${processor}_${what}`)
  ),
  "OTEL_METRIC_EXPORT_INTERVAL",
  "OTEL_METRIC_EXPORT_TIMEOUT"
]

const url = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

const millis = (text: string) =>
  /^[1-9]\d{0,8}$/.test(text) ? Option.some(Duration.millis(Number(text))) : Option.none()

/** The pairs of `a=1,b=2`, which may have a comma too many. */
const pairsOf = (text: string) => text.split(",").filter((pair) => pair.trim() !== "")

/** Pairs in which both sides are percent-encoded; with an error in one, all of them are ignored. */
const isAttributes = (text: string) =>
  Result.isSuccess(Result.try(() => decodeURIComponent(text))) && pairsOf(text).every((pair) => pair.includes("="))

/** Pairs in which values are percent-encoded. What is no header, `Headers` does not take. */
const headers = Option.liftThrowable(
  (text: string) =>
    new Headers(
      pairsOf(text).map((pair): [string, string] => {
        const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(pair) ?? []
        return [name.trim(), decodeURIComponent(value)]
      })
    )
)

/**
 * What the variable of a signal says, or else the one of all signals. The message does not quote it: it can be a secret.
 * One without `expected` may be ignored.
 */
const setting = Effect.fnUntraced(function* <A>(
  signal: Settings["signal"],
  what: string,
  expected: string | undefined,
  parse: (text: string) => Option.Option<A>
) {
  for (const name of [`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${what}`, `OTEL_EXPORTER_OTLP_${what}`]) {
    const text = yield* variable(name)
    if (Option.isNone(text)) continue
    const value = parse(text.value)
    if (Option.isNone(value) && expected === undefined) continue
    return Option.isSome(value) ? value : yield* Failure.usage(`${name}: expected ${expected}`)
  }
  return Option.none<A>()
})

/** Nothing is sent, nor anything loaded. */
const none = { layer: Layer.empty, hasMetrics: false }

/**
 * Sends spans, metrics and the log to the endpoints in OpenTelemetry's variables. Without endpoints, it does and loads
 * nothing. `hasMetrics`: whether metrics are sent.
 */
export const make = Effect.gen(function* () {
  const asked: Array<Settings> = []
  const general = yield* Effect.cached(choice("OTEL_EXPORTER_OTLP_PROTOCOL", protocols))
  const disabled = Option.getOrElse(yield* variable("OTEL_SDK_DISABLED"), () => "")
  if (disabled.toLowerCase() === "true") return none
  for (const signal of signals) {
    const example = "an http or https URL, such as http://localhost:4318"
    if (Option.isNone(yield* setting(signal, "ENDPOINT", example, Option.liftPredicate(url)))) continue
    const own = yield* choice(`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_PROTOCOL`, protocols)
    const protocol = Option.isSome(own) ? own : yield* general
    const timeout = yield* setting(signal, "TIMEOUT", undefined, millis)
    asked.push({
      signal,
      protocol: Option.getOrElse(protocol, () => protocols[0]),
      headers: Option.getOrElse(yield* setting(signal, "HEADERS", "NAME=VALUE,NAME=VALUE", headers), () => []),
      timeout: Option.getOrElse(timeout, () => Duration.seconds(10))
    })
  }
  if (asked.length === 0) return none

  const chosen: Record<string, string> = {}
  const ignored = new Set<unknown>()
  for (const [name, values] of choices) {
    const value = yield* choice(name, values)
    if (Option.isSome(value)) chosen[name] = value.value
    else ignored.add(name)
  }
  const check = Effect.fnUntraced(function* (name: string, expected: string, isValid: (text: string) => boolean) {
    const text = yield* variable(name)
    if (Option.isNone(text) || isValid(text.value)) return
    ignored.add(name)
    yield* Effect.logWarning(`${name} is ignored: expected ${expected}`)
  })
  for (const name of numbers) yield* check(name, "a whole number above 0", (text) => Option.isSome(millis(text)))
  yield* check("OTEL_RESOURCE_ATTRIBUTES", "NAME=VALUE,NAME=VALUE, percent-encoded", isAttributes)
  const collector = yield* Effect.promise(() => import("./collector.ts"))
  const given = yield* ConfigProvider.ConfigProvider
  const accepted = ConfigProvider.make((path) => (ignored.has(path[0]) ? Effect.undefined : given.load(path)))
  const provider = ConfigProvider.orElse(accepted, defaults)
  const layer = Layer.mergeAll(Layer.empty, ...asked.map(collector.layer)).pipe(
    Layer.provide(
      Layer.succeed(
        ConfigProvider.ConfigProvider,
        ConfigProvider.orElse(ConfigProvider.orElse(settled, ConfigProvider.fromEnv({ env: chosen })), provider)
      )
    ),
    // how Effect ends on a variable that it does not understand
    Layer.catchCause((cause) => {
      const defect = Cause.squash(cause)
      if (defect instanceof InvalidTransportOption) return Layer.effectDiscard(Failure.usage(defect.message))
      return Layer.effectDiscard(
        defect instanceof Config.ConfigError ? Failure.usage(defect.cause.message) : Effect.failCause(cause)
      )
    })
  )
  return { layer, hasMetrics: asked.some(({ signal }) => signal === "metrics") }
})
