import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Organizations from "@cloud-management/core/Organization"
import type * as Endpoints from "@cloud-management/core/ReversePrivateEndpoint"
import type * as Audit from "../frame/Audit.ts"
import type { Seed } from "./Seed.ts"
import type { ApiKey, StoreUnavailable } from "../frame/KeyStore.ts"

/** The kind of a record. */
export type Kind = "organization" | "service" | "endpoint" | "key"

interface About {
  readonly kind: Kind
  readonly id: string
}

/** A record does not exist: the one to read or update, or the owner of the one to create. */
export class NotFound extends Data.TaggedError("NotFound")<About> {
  override readonly message = `there is no ${this.kind} ${this.id}`
}

/** Another record already has the ID, possibly one of another owner. */
export class AlreadyExists extends Data.TaggedError("AlreadyExists")<About> {
  override readonly message = `another ${this.kind} has the ID ${this.id}`
}

/** The record to delete still owns others: an organization its keys and services, a service its endpoints. */
export class InUse extends Data.TaggedError("InUse")<About> {
  override readonly message = `the ${this.kind} ${this.id} is not empty`
}

/** The key to rotate is disabled or has expired: its successor would work. */
export class KeyInactive extends Data.TaggedError("KeyInactive")<{ readonly id: string }> {
  override readonly message = `the key ${this.id} is disabled or has expired`
}

/** An organization, with every field. */
export type Organization = Required<Organizations.Organization>

/** A service of an organization. */
export interface Service {
  readonly organizationId: Organizations.OrganizationId
  readonly id: Endpoints.ServiceId
  readonly name: string
}

type Endpoint = Endpoints.ReversePrivateEndpoint
type OfEveryKind = "serviceId" | "description" | "type" | "status" | "dnsNames" | "privateDnsNames"

/** A reverse private endpoint, with every field that is not specific to one kind of endpoint. */
export interface ReversePrivateEndpoint extends Omit<Endpoint, OfEveryKind>, Required<Pick<Endpoint, OfEveryKind>> {
  readonly organizationId: Organizations.OrganizationId
}

type Ids<Owner extends PropertyKey> = Readonly<Record<Owner | "id", string>>

/**
 * Records of one kind.
 *
 * **Details**
 *
 * `Owner` lists the IDs above a record; together with the record's own ID they form its path. Each successful act is
 * recorded by its entry in the same atomic step; failed acts are not recorded.
 */
export interface Collection<A extends Ids<Owner>, Owner extends keyof A> {
  /** The records of an owner, sorted by ID. */
  readonly list: (owner: Pick<A, Owner>) => Effect.Effect<ReadonlyArray<A>, NotFound | StoreUnavailable>
  readonly create: (record: A, entry: Audit.Entry) => Effect.Effect<void, NotFound | AlreadyExists | StoreUnavailable>
  /** Updates a record in one atomic step, and returns the updated record. Its path does not change. */
  readonly update: (
    path: Pick<A, Owner | "id">,
    f: (current: A) => A,
    entry: Audit.Entry
  ) => Effect.Effect<A, NotFound | StoreUnavailable>
  /** Deletes a record that owns no others. */
  readonly delete: (
    path: Pick<A, Owner | "id">,
    entry: Audit.Entry
  ) => Effect.Effect<void, NotFound | InUse | StoreUnavailable>
}

/** The audit records of a store, which are only added, and deleted only by `prune`. */
export interface AuditRecords {
  /**
   * All records in the order of their acts, read from the store as the stream is consumed. Of the records committed
   * meanwhile, it may have one but not an earlier one whose act was committed later.
   */
  readonly all: Stream.Stream<Audit.Record, StoreUnavailable>
  /** The newest records that match a filter, newest first, at most `most`. */
  readonly list: (filter: Audit.Filter, most: number) => Effect.Effect<ReadonlyArray<Audit.Record>, StoreUnavailable>
  /** Records an act that changes nothing, such as an export. */
  readonly append: (entry: Audit.Entry) => Effect.Effect<void, StoreUnavailable>
  /**
   * Deletes the records from before a moment, and returns their number. The entry is recorded with the first portion.
   * It can be interrupted between two portions, even in an uninterruptible region; it has then deleted the oldest
   * records.
   */
  readonly prune: (before: DateTime.Utc, entry: Audit.Entry) => Effect.Effect<number, StoreUnavailable>
}

/**
 * The operations that operators have and the API does not: create, list, update and delete the content of a store.
 *
 * **Details**
 *
 * The service caches nothing, so every change applies from its next request on.
 *
 * **Gotchas**
 *
 * IDs are compared in lower case; pass them in lower case.
 */
export class Administration extends Context.Service<
  Administration,
  {
    readonly organizations: Collection<Organization, never>
    readonly services: Collection<Service, "organizationId">
    readonly reversePrivateEndpoints: Collection<ReversePrivateEndpoint, "organizationId" | "serviceId">
    readonly apiKeys: Collection<ApiKey, "organizationId">
    /** The keys of all organizations whose secret has this digest. */
    readonly apiKeysOf: (digest: string) => Effect.Effect<ReadonlyArray<ApiKey>, StoreUnavailable>
    /**
     * Creates a key that replaces another one in one atomic step. The old key expires at the given moment, or earlier
     * if it already had an earlier expiry; it must be active. Both acts are recorded, the creation first.
     */
    readonly rotateApiKey: (
      path: Pick<ApiKey, "organizationId" | "id">,
      successor: ApiKey,
      expiresAt: DateTime.Utc,
      entries: readonly [created: Audit.Entry, rotated: Audit.Entry]
    ) => Effect.Effect<void, NotFound | AlreadyExists | KeyInactive | StoreUnavailable>
    readonly audit: AuditRecords
    /** All content at one moment, sorted by ID, with digests: the seed of an identical store. */
    readonly export: Effect.Effect<Seed, StoreUnavailable>
  }
>()("@cloud-management/service/Administration") {}
