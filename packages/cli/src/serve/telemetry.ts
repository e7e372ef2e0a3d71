import { ConfigProvider, Duration, Effect, Layer, Option, Predicate, Record, Result, Stream } from "effect"
import { randomUUID } from "node:crypto"
import * as Input from "../input/input.ts"
import { variable } from "../input/setting.ts"
import type * as Flags from "../input/flag.ts"
import * as Failure from "../output/Failure.ts"
import type { Settings } from "./collector.ts"
import * as Sampling from "./sampling.ts"

const signals = ["traces", "metrics", "logs"] as const

const variablesOf = (what: string, signal: string) =>
  [`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${what}`, `OTEL_EXPORTER_OTLP_${what}`] as const
const exporterOf = (signal: string) => `OTEL_${signal.toUpperCase()}_EXPORTER`
const allOf = (what: string) => new Set(signals.flatMap((signal) => variablesOf(what, signal)))

type Kind<A> = Pick<Flags.Kind<A>, "expected" | "parse">

/** In any letter case. Effect reads lower case only. */
const oneOf = (...values: ReadonlyArray<string>): Kind<string> => ({
  expected: values.join(" or "),
  parse: (text) => Option.fromUndefinedOr(values.find((value) => value === text.trim().toLowerCase()))
})

const text = (expected: string, is: (text: string) => boolean): Kind<string> => ({
  expected,
  parse: Option.liftPredicate(is)
})
const number = text("a whole number above 0", (text) => /^[1-9]\d{0,8}$/.test(text))
const share = text("a number from 0 to 1", (text) => Number(text) >= 0 && Number(text) <= 1)
const path = text("the path of a PEM file", () => true)
const endpoint = text(
  "an http or https URL, such as http://localhost:4318",
  (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
)

/** The pairs of `a=1,b=2`, which may have a comma too many. */
const pairsOf = (text: string) => text.split(",").filter((pair) => pair.trim() !== "")

/** Pairs in which values are percent-encoded. What is no header, `Headers` does not take. */
const headers: Kind<Headers> = {
  expected: "pairs such as NAME=VALUE,NAME=VALUE",
  parse: Option.liftThrowable(
    (text: string) =>
      new Headers(
        pairsOf(text).map((pair): [string, string] => {
          const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(pair) ?? []
          return [name.trim(), decodeURIComponent(value)]
        })
      )
  )
}

/** Pairs in which both sides are percent-encoded; with an error in one, all of them are ignored. */
const attributes = text(
  "NAME=VALUE,NAME=VALUE, percent-encoded",
  (text) =>
    Result.isSuccess(Result.try(() => decodeURIComponent(text))) && pairsOf(text).every((pair) => pair.includes("="))
)

const batching = ["SCHEDULE_DELAY", "EXPORT_TIMEOUT", "MAX_EXPORT_BATCH_SIZE"]

/** OpenTelemetry's specification demands that other values of these are ignored with a warning. */
const lenient: ReadonlyArray<readonly [kind: Kind<string>, names: Iterable<string>]> = [
  [oneOf("http/protobuf", "http/json"), allOf("PROTOCOL")],
  [oneOf("none", "gzip"), allOf("COMPRESSION")],
  [oneOf("cumulative", "delta"), ["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"]],
  [oneOf("otlp", "none"), signals.map(exporterOf)],
  [oneOf(...Sampling.names), ["OTEL_TRACES_SAMPLER"]],
  [share, ["OTEL_TRACES_SAMPLER_ARG"]],
  [number, allOf("TIMEOUT")],
  [number, ["BSP", "BLRP"].flatMap((processor) => batching.map((what) => `OTEL_${processor}_${what}`))],
  [number, ["OTEL_METRIC_EXPORT_INTERVAL", "OTEL_METRIC_EXPORT_TIMEOUT"]],
  [attributes, ["OTEL_RESOURCE_ATTRIBUTES"]]
]

const read = Effect.gen(function* () {
  const values: Record<string, string | undefined> = {}
  for (const [{ expected, parse }, names] of lenient) {
    for (const name of names) {
      const text = yield* variable(name)
      const value = Option.getOrUndefined(Option.flatMap(text, parse))
      if (Option.isSome(text) && value === undefined) {
        yield* Effect.logWarning(`${name} is ignored: expected ${expected}`)
      }
      values[name] = value
    }
  }
  return values
})

/** The variable of a signal comes before that of all signals. The message does not quote a value: it can be a secret. */
const strict = Effect.fnUntraced(function* <A>(what: string, signal: string, { expected, parse }: Kind<A>) {
  for (const name of variablesOf(what, signal)) {
    const text = yield* variable(name)
    if (Option.isNone(text)) continue
    const value = parse(text.value)
    return Option.isSome(value) ? value : yield* Failure.usage(`${name}: expected ${expected}`)
  }
  return Option.none<A>()
})

const files = { ca: "CERTIFICATE", cert: "CLIENT_CERTIFICATE", key: "CLIENT_KEY" } as const
const remedy = "Pass the path of a PEM file, or unset the variable."

const tlsOf = Effect.fnUntraced(function* (signal: string) {
  const tls: { ca?: string; cert?: string; key?: string } = {}
  for (const part of ["ca", "cert", "key"] as const) {
    const what = files[part]
    const file = Option.getOrUndefined(yield* strict(what, signal, path))
    if (file === undefined) continue
    const refusal = (problem: string) => Failure.usage(`${variablesOf(what, signal)[1]}: ${file} ${problem}`, remedy)
    tls[part] = yield* Stream.mkString(Input.text(file, refusal, 2 ** 20))
  }
  return Object.keys(tls).length === 0 ? {} : { tls }
})

const none = { layer: Layer.empty, hasMetrics: false }

/** Without endpoints, nothing is sent, nor anything loaded. `hasMetrics`: whether metrics are sent. */
export const make = Effect.gen(function* () {
  if (Option.exists(yield* variable("OTEL_SDK_DISABLED"), (text) => text.toLowerCase() === "true")) return none
  const asked = yield* Effect.filter(signals, (signal) =>
    Effect.map(strict("ENDPOINT", signal, endpoint), Option.isSome)
  )
  if (asked.length === 0) return none

  const values = yield* read
  const settings: Array<Settings> = []
  for (const signal of asked) {
    const value = (what: string) => {
      const [own, general] = variablesOf(what, signal)
      return values[own] ?? values[general]
    }
    settings.push({
      signal,
      protocol: value("PROTOCOL") === "http/json" ? "http/json" : "http/protobuf",
      headers: Option.getOrElse(yield* strict("HEADERS", signal, headers), () => []),
      timeout: Duration.millis(Number(value("TIMEOUT") ?? 10_000)),
      ...(yield* tlsOf(signal))
    })
  }
  // the last of a name holds: nodes that are given none are told apart
  const given = values["OTEL_RESOURCE_ATTRIBUTES"] ?? ""
  const attributes = `service.name=cloud-management,service.instance.id=${randomUUID()},${given}`
  const collector = yield* Effect.promise(() => import("./collector.ts"))
  const environment = yield* ConfigProvider.ConfigProvider
  const env = (variables: Readonly<Record<string, string | undefined>>) =>
    ConfigProvider.fromEnv({ env: Record.filter(variables, Predicate.isString) })
  const ofSignals = (name: (signal: string) => string, value: string) =>
    Object.fromEntries(signals.map((signal) => [name(signal), value]))
  // Effect takes a timeout for the time of the last export at the end
  const limits = ofSignals((signal) => variablesOf("TIMEOUT", signal)[0], "3000")
  const provider = [
    env({ ...values, ...limits, OTEL_RESOURCE_ATTRIBUTES: attributes, OTEL_SDK_DISABLED: "false" }),
    ConfigProvider.make((path) => (Object.hasOwn(values, String(path[0])) ? Effect.undefined : environment.load(path))),
    env(ofSignals(exporterOf, "otlp"))
  ].reduce((first, then) => ConfigProvider.orElse(first, then))
  const sampler = values["OTEL_TRACES_SAMPLER"]
  const exporters = Layer.mergeAll(Layer.empty, ...settings.map(collector.layer))
  const layer = (
    sampler === undefined || !asked.includes("traces")
      ? exporters
      : Layer.provideMerge(Sampling.layer(sampler, Number(values["OTEL_TRACES_SAMPLER_ARG"] ?? 1)), exporters)
  ).pipe(
    Layer.provide(Layer.succeed(ConfigProvider.ConfigProvider, provider)),
    Layer.catchTag("InvalidTransportOption", ({ message }) =>
      Layer.effectDiscard(
        Failure.usage(
          message.replace(/^tls\.(ca|cert|key)/, (_, part: keyof typeof files) => variablesOf(files[part], "")[1]),
          remedy
        )
      )
    )
  )
  return { layer, hasMetrics: asked.includes("metrics") }
})
