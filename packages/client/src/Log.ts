import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import type { Failed, Listener } from "./Event.ts"

/** The headers of a response that are logged. */
const logged = [
  "content-length",
  "content-type",
  "date",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "server",
  "via",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset"
]

const annotations = ({ attempts, operation, reason, requestId, status }: Failed) => ({
  operation,
  attempts,
  reason,
  ...(status !== undefined && { status }),
  ...(requestId !== undefined && { requestId })
})

/**
 * Writes events to Effect's log: attempts, retries and streams that fail as debug; an insecure base URL, assumed deletions and
 * credentials that cannot be renewed as warnings.
 *
 * **Details**
 *
 * For a response, it writes the status, the request's ID and the headers about the body, the service and the rate limit.
 * For a request, it writes no headers and no IDs in the path.
 *
 * It is an option because pages seldom use Effect's loggers, which would add a twentieth to the bundle.
 *
 * **Example** (Logging retries)
 *
 * ```ts
 * import type * as Client from "@cloud-management/client/Client"
 * import * as Log from "@cloud-management/client/Log"
 *
 * const options: Partial<Client.Options> = { log: Log.effect }
 * ```
 */
export const effect: Listener = (event) => {
  switch (event._tag) {
    case "InsecureBaseUrl":
      return Effect.annotateLogs(
        Effect.logWarning("the base URL has no TLS, so others on the network can read the API key: use https"),
        "baseUrl",
        event.baseUrl
      )
    case "RenewalFailed":
      return Effect.annotateLogs(Effect.logWarning("the credentials were not renewed"), "problem", event.problem)
    case "AssumedDeleted":
      return Effect.annotateLogs(
        Effect.logWarning("the resource was gone after an attempt that may have deleted it: assumed deleted"),
        annotations(event)
      )
    case "AttemptEnded": {
      const { attempts, errorType, method, operation, path, requestId, seconds, status } = event
      return Effect.when(
        Effect.suspend(() => {
          const headers = Object.entries(event.headers() ?? {}).filter(([name]) => logged.includes(name))
          return Effect.annotateLogs(Effect.logDebug("attempt"), {
            operation,
            attempts,
            method,
            path,
            millis: Math.round(seconds * 1000),
            ...(status !== undefined && { status, headers: Object.fromEntries(headers) }),
            ...(requestId !== undefined && { requestId }),
            ...(errorType !== undefined && { errorType })
          })
        }),
        LogLevel.isEnabled("Debug")
      )
    }
    case "StreamFailed":
      return Effect.annotateLogs(Effect.logDebug("stream failed"), annotations(event))
    case "Retrying":
      return Effect.annotateLogs(Effect.logDebug("retrying"), {
        ...annotations(event),
        wait: Duration.format(Duration.millis(Math.ceil(Duration.toMillis(event.wait))))
      })
    default:
      return Effect.void
  }
}
