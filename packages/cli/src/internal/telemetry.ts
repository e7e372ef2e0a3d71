import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { variable } from "../Environment.ts"
import * as Failure from "../Failure.ts"
import { version } from "./version.ts"

const base = "OTEL_EXPORTER_OTLP_ENDPOINT"
const endpoints = [base, ...["TRACES", "METRICS", "LOGS"].map((signal) => `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`)]

/** What OpenTelemetry's specification has for defaults. */
const defaults = ConfigProvider.fromEnv({
  env: {
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_LOGS_EXPORTER: "otlp",
    OTEL_SERVICE_NAME: "cloud-management"
  }
})

/**
 * Sends spans, metrics and the log to where OpenTelemetry's variables point, and does nothing, nor loads anything, when
 * they point nowhere.
 */
export const layer = Effect.gen(function* () {
  let isAsked = false
  for (const name of endpoints) {
    const url = yield* variable(name)
    if (Option.isNone(url)) continue
    isAsked = true
    if (!URL.canParse(url.value) || !/^https?:$/.test(new URL(url.value).protocol)) {
      return yield* Failure.usage(`${name}: expected an http or https URL, as in http://localhost:4318`)
    }
  }
  if (!isAsked) return Layer.empty

  const protocol = Option.getOrElse(yield* variable("OTEL_EXPORTER_OTLP_PROTOCOL"), () => "http/protobuf")
  if (protocol !== "http/protobuf" && protocol !== "http/json") {
    return yield* Failure.usage("OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf or http/json")
  }
  const [Otlp, OtlpSerialization, NodeTransport] = yield* Effect.promise(() =>
    Promise.all([
      import("effect/observability/Otlp"),
      import("effect/observability/OtlpSerialization"),
      import("@cloud-management/node/NodeTransport")
    ])
  )
  const provider = ConfigProvider.orElse(yield* ConfigProvider.ConfigProvider, defaults)
  return Otlp.layerFromConfig({ resource: { serviceVersion: version }, loggerMergeWithExisting: true }).pipe(
    Layer.provide(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
    Layer.provide(NodeTransport.layer),
    Layer.provide(Layer.succeed(ConfigProvider.ConfigProvider, provider))
  )
})
