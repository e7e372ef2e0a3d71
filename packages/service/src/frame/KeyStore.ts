import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type { OrganizationId } from "@cloud-management/core/Organization"
import * as Failure from "./failure.ts"

/** The record of an API key, with the SHA-256 of its secret in `digest`; the secret itself is not stored. */
export interface ApiKey {
  /** Also the user name for HTTP Basic. Lower case. */
  readonly id: ApiKeyId
  readonly organizationId: OrganizationId
  readonly name: string
  /** SHA-256 of the secret's UTF-8 bytes, in lower-case hexadecimal. */
  readonly digest: string
  readonly state: "enabled" | "disabled"
  /** The key is refused from this moment on. */
  readonly expiresAt: DateTime.Utc | undefined
  /** When it was created; `undefined` if stores did not yet record this. */
  readonly createdAt: DateTime.Utc | undefined
  /** The start, in UTC, of the hour in which a request last authenticated with it; `undefined` if none is recorded. */
  readonly lastUsedAt: DateTime.Utc | undefined
}

/** The data read for a key, and the key itself if it exists, both from the same moment. */
export interface Lookup<out A> {
  readonly caller: Option.Option<ApiKey>
  readonly found: A
}

/**
 * The store is currently unavailable.
 *
 * **Details**
 *
 * Its message is that of the root cause, on one line, for the log and for operators; it is never sent to callers.
 */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  readonly cause: unknown
  /** Whether it is certain that nothing was changed. Default: false. */
  readonly isUndone?: boolean | undefined
  /** The remedy for a healthy database that refuses a write, as it does until someone mends it. */
  readonly remedy?: string | undefined
}> {
  override readonly message = Failure.rootCause(this.cause)
  /** Whether the content of the store is damaged: it stays unavailable until an operator restores it. */
  get isCorrupt(): boolean {
    return Failure.isCorrupt(this.cause)
  }
}

/** The keys that a service of any registry admits callers by. */
export class KeyStore extends Context.Service<
  KeyStore,
  {
    readonly apiKey: (id: ApiKeyId) => Effect.Effect<Option.Option<ApiKey>, StoreUnavailable>
    /**
     * Records that keys were used in the hour that begins at the given moment. It skips keys that no longer exist, or
     * that have this hour or a later one recorded. It may skip keys that are being changed.
     */
    readonly recordUse: (ids: ReadonlyArray<ApiKeyId>, hour: DateTime.Utc) => Effect.Effect<void, StoreUnavailable>
    /** Fails if the store cannot serve requests: if it cannot read something that they need, or cannot write. */
    readonly ping: Effect.Effect<void, StoreUnavailable>
  }
>()("@cloud-management/service/KeyStore") {}
