import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"

/**
 * The operation of an event, and the destination of its requests, without IDs.
 */
export interface Source {
  /** Name of the operation's API. */
  readonly api: string
  /** `group.name`. */
  readonly operation: string
  readonly method: string
  /** Path template. */
  readonly path: string
  /** Host and port of the base URL. */
  readonly address: string
  readonly port: number
}

/**
 * A failed attempt, without headers except the request's ID, and without text from the service.
 */
export interface Failed extends Source {
  /** Attempts so far. */
  readonly attempts: number
  /** Tag of the reason. */
  readonly reason: string
  readonly status: number | undefined
  readonly requestId: string | undefined
}

/** How something ended. */
interface Ended extends Source {
  readonly seconds: number
  /** Class of the error, absent on a success: see `Telemetry.attributes`. */
  readonly errorType: string | undefined
}

/**
 * An event in a client; spans, metrics and the log interpret the same events.
 */
export type Event =
  /**
   * The base URL names another machine and has no TLS, so the key is sent in plain text. Reported once, when the client
   * is built.
   */
  | { readonly _tag: "InsecureBaseUrl"; readonly baseUrl: string }
  /**
   * The credentials could not be read again: after a 401, which is then final, or before they end. `problem` contains no
   * secret.
   */
  | { readonly _tag: "RenewalFailed"; readonly problem: string }
  /** One attempt ended. Text from the service is withheld if it may repeat the credentials. */
  | ({
      readonly _tag: "AttemptEnded"
      /** Attempts so far. */
      readonly attempts: number
      /** The whole URL as in spans: without the values of redacted parameters, but with the IDs in its path. */
      readonly url: string
      readonly status: number | undefined
      readonly requestId: string | undefined
      /** The headers of the response; those that are redacted in spans are so here. Making them takes long. */
      readonly headers: () => Readonly<Record<string, string>> | undefined
    } & Ended)
  /** The call ended. */
  | ({ readonly _tag: "CallEnded"; readonly cancelled: boolean } & Ended)
  /** The call waited for its turn. */
  | ({ readonly _tag: "Paced"; readonly wait: Duration.Duration } & Source)
  /**
   * The call waits and is then sent again; with `credentials` at once, because new credentials are in use after a 401.
   */
  | ({
      readonly _tag: "Retrying"
      readonly wait: Duration.Duration
      readonly cause: "backoff" | "hint" | "credentials"
      /** Whether the service asked for a wait. */
      readonly hinted: boolean
      /** Tokens left in the retry budget. */
      readonly tokens: number
    } & Failed)
  /** The service asked for a longer wait than `maxHint` of the retry policy, or than the call has time for. */
  | ({ readonly _tag: "HintDeclined" } & Source)
  /** Tokens were returned to the retry budget. */
  | ({ readonly _tag: "BudgetRefilled"; readonly tokens: number } & Source)
  /** The stream of a call failed after its head. */
  | ({ readonly _tag: "StreamFailed" } & Failed)
  /** Nothing was left to delete after an attempt that may have been applied: the call succeeds. */
  | ({ readonly _tag: "AssumedDeleted" } & Failed)

/**
 * An event of a call.
 */
export type CallEvent = Extract<Event, Source>

/**
 * Receives the events of a client, as `Log.effect` and `Metrics.effect` do.
 *
 * **Details**
 *
 * If it fails, the call continues.
 *
 * **Gotchas**
 *
 * The call waits for its Effect, and at the end of an attempt and of a call it cannot be interrupted meanwhile. Work that
 * can take long, such as writing to a network, needs a fiber of its own (`Effect.forkIn`) or a queue.
 */
export type Listener = (event: Event) => Effect.Effect<void>
