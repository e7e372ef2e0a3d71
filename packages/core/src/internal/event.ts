import type { Failed } from "../Log.ts"

/** What happens in a call. Spans, metrics and the log each interpret the same events. */
export type Event =
  /** An attempt ended after so many seconds. `errorType` as in {@link Telemetry.attributes}. */
  | {
      readonly _tag: "AttemptEnded"
      readonly seconds: number
      readonly status: number | undefined
      readonly errorType: string | undefined
    }
  /** The call ended after so many seconds. */
  | {
      readonly _tag: "CallEnded"
      readonly seconds: number
      readonly errorType: string | undefined
      readonly cancelled: boolean
    }
  /** The call waited so many milliseconds for its turn. */
  | { readonly _tag: "Paced"; readonly wait: number }
  /** The call waits so many milliseconds, and is then sent again. */
  | ({
      readonly _tag: "Retrying"
      readonly wait: number
      readonly cause: "backoff" | "hint"
      /** Whether the service asked for a wait. */
      readonly hinted: boolean
      /** Tokens left in the retry budget. */
      readonly tokens: number
    } & Failed)
  /** The service asked for a wait that the call has no time for. */
  | { readonly _tag: "HintDeclined" }
  /** Tokens came back to the retry budget. */
  | { readonly _tag: "BudgetRefilled"; readonly tokens: number }
  /** Nothing was left to delete after an attempt that may have been applied: the call succeeds. */
  | ({ readonly _tag: "AssumedDeleted" } & Failed)
