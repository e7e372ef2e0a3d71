import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Measures from "./telemetry/measures.ts"

/**
 * Counts what happens in a service in Effect's metrics, which the exporters of `effect/observability` read.
 *
 * **Details**
 *
 * Provide it to the layers of the service and the store. Without it, nothing is measured.
 *
 * **Example** (A service with metrics)
 *
 * ```ts
 * import * as Layer from "effect/Layer"
 * import * as SecureRandom from "effect/crypto/SecureRandom"
 * import * as MemoryStore from "@cloud-management/service/MemoryStore"
 * import * as Metrics from "@cloud-management/service/Metrics"
 * import * as CloudService from "@cloud-management/service/CloudService"
 *
 * const service = CloudService.layer().pipe(
 *   Layer.provide(MemoryStore.layer),
 *   Layer.provide(SecureRandom.layerWebCrypto),
 *   Layer.provide(Metrics.layer)
 * )
 * ```
 */
export const layer: Layer.Layer<never> = Layer.effect(
  Measures.Measures,
  Effect.map(Effect.context<never>(), Measures.make)
)
