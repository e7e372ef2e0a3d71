import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** What is known of an attempt that failed. No header is in it beside the request's ID, and no text of the service. */
interface Failed {
  /** `group.name` of the operation. */
  readonly operation: string
  /** Attempts so far. */
  readonly attempts: number
  /** Tag of the reason. */
  readonly reason: string
  readonly status?: number
  readonly requestId?: string
}

/** What a client has to say beside spans and metrics. */
export type Event =
  /** The base URL is one of another machine without TLS, so the key travels in plain text. Once, when the client is built. */
  | { readonly _tag: "InsecureBaseUrl"; readonly baseUrl: string }
  /** The call waits, and is then sent again. */
  | ({ readonly _tag: "Retrying"; readonly wait: Duration.Duration } & Failed)
  /** Nothing was left to delete after an attempt that may have been applied: the call succeeds. */
  | ({ readonly _tag: "AssumedDeleted" } & Failed)

/** A listener to the client's events. Pass one as the client's option `log`. */
export type Log = (event: Event) => Effect.Effect<void>

/**
 * Writes events to Effect's log: retries as debug, an insecure base URL and assumed deletions as warnings.
 *
 * It is an option because Effect's loggers, which a page seldom uses, would be a twentieth of the bundle.
 *
 * @example
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Log from "@cloud-management/core/Log"
 *
 * const cloud = CloudManagement.layerConfig({ log: Log.effect })
 */
export const effect: Log = ({ _tag, ...event }) => {
  const write =
    _tag === "InsecureBaseUrl"
      ? Effect.logWarning("the base URL has no TLS: others on the way can read the API key")
      : _tag === "AssumedDeleted"
        ? Effect.logWarning("nothing left to delete after an attempt that may have been applied: taken as deleted")
        : Effect.logDebug("retrying")
  return Effect.annotateLogs(write, {
    ...event,
    ...("wait" in event && { wait: Duration.format(event.wait) })
  })
}
