import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { isSqlError } from "effect/sql/SqlError"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type { Organization, OrganizationId } from "@cloud-management/core/Organization"
import type {
  ReversePrivateEndpoint,
  ReversePrivateEndpointId,
  ServiceId
} from "@cloud-management/core/ReversePrivateEndpoint"
import type * as Audit from "./Audit.ts"
import * as Corruption from "./internal/corruption.ts"
import { rootCause } from "./internal/rootCause.ts"
import type { Seed } from "./Seed.ts"

/**
 * The record of an API key; the secret itself is nowhere, and `digest` is its SHA-256.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApiKey {
  /** Also the user name of HTTP Basic. Lower case. */
  readonly id: ApiKeyId
  readonly organizationId: OrganizationId
  readonly name: string
  /** SHA-256 of the secret's UTF-8 bytes, in hexadecimal. */
  readonly digest: string
  readonly state: "enabled" | "disabled"
  /** From this moment on the key is refused. */
  readonly expiresAt: DateTime.Utc | undefined
  /** When it was made; `undefined` if that was before stores kept it. */
  readonly createdAt: DateTime.Utc | undefined
  /** The hour in which a request last authenticated with it, by its beginning in UTC; `undefined` if none is recorded. */
  readonly lastUsedAt: DateTime.Utc | undefined
}

/**
 * Whether a key opens the service at a moment.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isActive = (key: Pick<ApiKey, "state" | "expiresAt">, nowMillis: number): boolean =>
  key.state === "enabled" && (key.expiresAt === undefined || nowMillis < key.expiresAt.epochMilliseconds)

/**
 * What is read on behalf of a key, and the key itself if there is one, both as they are at one moment.
 *
 * @category models
 * @since 0.1.0
 */
export interface Lookup<out A> {
  readonly caller: Option.Option<ApiKey>
  readonly found: A
}

/**
 * The store cannot answer for now.
 *
 * **Details**
 *
 * What it says is for the service's log and for operators; it is never sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  readonly cause: unknown
}> {
  /** The message of the root cause, on one line. */
  override get message(): string {
    return rootCause(this.cause)
  }
  /** Whether the database refused for lack of a right, so that nothing was changed. */
  get isDenied(): boolean {
    return isSqlError(this.cause) && this.cause.reason._tag === "AuthorizationError"
  }
  /** Whether the content of the store is damaged: then it cannot answer until an operator has restored it. */
  get isCorrupt(): boolean {
    return Corruption.isCorrupt(this.cause)
  }
}

/**
 * What the service keeps.
 *
 * **Gotchas**
 *
 * Ids are compared in lower case: callers pass them so.
 *
 * Every answer reflects what was acknowledged before: an implementation that caches keys would let a deleted key in.
 *
 * @category services
 * @since 0.1.0
 */
export class Store extends Context.Service<
  Store,
  {
    readonly apiKey: (id: ApiKeyId) => Effect.Effect<Option.Option<ApiKey>, StoreUnavailable>
    /** The organization of a key. */
    readonly organization: (caller: ApiKeyId) => Effect.Effect<Lookup<Option.Option<Organization>>, StoreUnavailable>
    /**
     * An endpoint, found only along its whole path: the organization owns the service, the service the endpoint. It is
     * found whether or not there is the key: whether the caller may have it is up to the service.
     */
    readonly reversePrivateEndpoint: (
      caller: ApiKeyId,
      organizationId: OrganizationId,
      serviceId: ServiceId,
      id: ReversePrivateEndpointId
    ) => Effect.Effect<Lookup<Option.Option<ReversePrivateEndpoint>>, StoreUnavailable>
    /**
     * Deletes a key of an organization on behalf of another key, in one atomic step: `caller-inactive`, and nothing
     * deleted, when the caller is itself deleted, disabled or expired by then. So of two keys that delete one another
     * at once exactly one is left. A deletion, and nothing else, is recorded by the entry in the same step.
     */
    readonly deleteApiKey: (
      organizationId: OrganizationId,
      id: ApiKeyId,
      caller: ApiKeyId,
      entry: Audit.Entry
    ) => Effect.Effect<"deleted" | "not-found" | "caller-inactive", StoreUnavailable>
    /**
     * Records that keys were used in the hour that begins then. Keys that are gone, or of which this hour or a later one
     * is recorded, stay as they are. It may leave out keys that are being changed.
     */
    readonly recordUse: (ids: ReadonlyArray<ApiKeyId>, hour: DateTime.Utc) => Effect.Effect<void, StoreUnavailable>
    /**
     * Fills an empty store, and records it by the entry if there is one; `false`, and nothing changed, when it already
     * holds an organization or an audit record: the keys that were deleted from it must not come back.
     */
    readonly seed: (seed: Seed, entry?: Audit.Entry) => Effect.Effect<boolean, StoreUnavailable>
    /** Fails when the store cannot serve: something that requests need cannot be read, or nothing can be written. */
    readonly ping: Effect.Effect<void, StoreUnavailable>
  }
>()("@cloud-management/service/Store") {}
