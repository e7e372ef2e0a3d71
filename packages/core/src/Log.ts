import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Failed, Listener } from "./Event.ts"

const annotations = ({ attempts, operation, reason, requestId, status }: Failed) => ({
  operation,
  attempts,
  reason,
  ...(status !== undefined && { status }),
  ...(requestId !== undefined && { requestId })
})

/**
 * Writes events to Effect's log: retries as debug, an insecure base URL and assumed deletions as warnings.
 *
 * **Details**
 *
 * It is an option because pages seldom use Effect's loggers, which would add a twentieth to the bundle.
 *
 * **Example** (Logging retries)
 *
 * ```ts
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Log from "@cloud-management/core/Log"
 *
 * const cloud = CloudManagement.layerConfig({ log: Log.effect })
 * ```
 *
 * @category logging
 * @since 0.1.0
 */
export const effect: Listener = (event) => {
  switch (event._tag) {
    case "InsecureBaseUrl":
      return Effect.annotateLogs(
        Effect.logWarning("the base URL has no TLS: others on the way can read the API key"),
        "baseUrl",
        event.baseUrl
      )
    case "AssumedDeleted":
      return Effect.annotateLogs(
        Effect.logWarning("nothing left to delete after an attempt that may have been applied: taken as deleted"),
        annotations(event)
      )
    case "Retrying":
      return Effect.annotateLogs(Effect.logDebug("retrying"), {
        ...annotations(event),
        wait: Duration.format(Duration.millis(Math.ceil(Duration.toMillis(event.wait))))
      })
    default:
      return Effect.void
  }
}
