import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Organizations from "@cloud-management/core/Organization"
import type * as Endpoints from "@cloud-management/core/ReversePrivateEndpoint"
import type * as Audit from "./Audit.ts"
import type { Seed } from "./Seed.ts"
import type { ApiKey, StoreUnavailable } from "./Store.ts"

/**
 * What a record is.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = "organization" | "service" | "endpoint" | "key"

/**
 * A record does not exist: the one to read or to update, or the owner of the one to create.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotFound extends Data.TaggedError("NotFound")<{
  readonly kind: Kind
  readonly id: string
}> {
  override get message(): string {
    return `there is no ${this.kind} ${this.id}`
  }
}

/**
 * Another record has the ID, maybe one of another owner.
 *
 * @category errors
 * @since 0.1.0
 */
export class AlreadyExists extends Data.TaggedError("AlreadyExists")<{
  readonly kind: Kind
  readonly id: string
}> {
  override get message(): string {
    return `the ID ${this.id} is that of another ${this.kind}`
  }
}

/**
 * Other records belong to the one to delete: keys and services to an organization, endpoints to a service.
 *
 * @category errors
 * @since 0.1.0
 */
export class InUse extends Data.TaggedError("InUse")<{
  readonly kind: Kind
  readonly id: string
}> {
  override get message(): string {
    return `the ${this.kind} ${this.id} is not empty`
  }
}

/**
 * An organization, with every field.
 *
 * @category models
 * @since 0.1.0
 */
export type Organization = Required<Organizations.Organization>

/**
 * A service of an organization.
 *
 * @category models
 * @since 0.1.0
 */
export interface Service {
  readonly organizationId: Organizations.OrganizationId
  readonly id: Endpoints.ServiceId
  readonly name: string
}

type Endpoint = Endpoints.ReversePrivateEndpoint
type OfEveryKind = "serviceId" | "description" | "type" | "status" | "dnsNames" | "privateDnsNames"

/**
 * A reverse private endpoint, with every field that is not tied to one kind of endpoint.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReversePrivateEndpoint extends Omit<Endpoint, OfEveryKind>, Required<Pick<Endpoint, OfEveryKind>> {
  readonly organizationId: Organizations.OrganizationId
}

type Ids<Owner extends PropertyKey> = Readonly<Record<Owner | "id", string>>

/**
 * Records of one kind.
 *
 * **Details**
 *
 * `Owner` names the IDs above a record; with its own they are its path. An act, and nothing that failed, is recorded by
 * its entry in the same atomic step.
 *
 * @category models
 * @since 0.1.0
 */
export interface Collection<A extends Ids<Owner>, Owner extends keyof A> {
  /** The records of an owner, sorted by ID. */
  readonly list: (owner: Pick<A, Owner>) => Effect.Effect<ReadonlyArray<A>, NotFound | StoreUnavailable>
  readonly create: (record: A, entry: Audit.Entry) => Effect.Effect<void, NotFound | AlreadyExists | StoreUnavailable>
  /** Updates a record in one atomic step, and returns what it has become. Its path stays as it is. */
  readonly update: (
    path: Pick<A, Owner | "id">,
    f: (current: A) => A,
    entry: Audit.Entry
  ) => Effect.Effect<A, NotFound | StoreUnavailable>
  /** Deletes a record to which no others belong. */
  readonly delete: (
    path: Pick<A, Owner | "id">,
    entry: Audit.Entry
  ) => Effect.Effect<void, NotFound | InUse | StoreUnavailable>
}

/**
 * The audit records of a store, which are only ever added, and deleted by `prune`.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuditRecords {
  /** All records in the order of their acts, read while the stream is. */
  readonly all: Stream.Stream<Audit.Record, StoreUnavailable>
  /** The newest records that a filter lets through, at most so many, newest first. */
  readonly list: (filter: Audit.Filter, most: number) => Effect.Effect<ReadonlyArray<Audit.Record>, StoreUnavailable>
  /** Records an act that changes nothing, such as an export. */
  readonly append: (entry: Audit.Entry) => Effect.Effect<void, StoreUnavailable>
  /**
   * Deletes the records of before a moment, and returns how many. The entry is recorded with the first of them. It can be
   * interrupted between two portions, also where nothing else can: then it has deleted the oldest.
   */
  readonly prune: (before: DateTime.Utc, entry: Audit.Entry) => Effect.Effect<number, StoreUnavailable>
}

/**
 * What an operator does and the API does not: create, list, update and delete the content of a store.
 *
 * **Details**
 *
 * The service keeps nothing in memory, so every change holds from its next request on.
 *
 * **Gotchas**
 *
 * IDs are compared in lower case: callers pass them so.
 *
 * @category services
 * @since 0.1.0
 */
export class Administration extends Context.Service<
  Administration,
  {
    readonly organizations: Collection<Organization, never>
    readonly services: Collection<Service, "organizationId">
    readonly reversePrivateEndpoints: Collection<ReversePrivateEndpoint, "organizationId" | "serviceId">
    readonly apiKeys: Collection<ApiKey, "organizationId">
    /**
     * Creates a key that takes the place of another, which expires then, or earlier if it did before, in one atomic
     * step. Both acts are recorded: the creation first.
     */
    readonly rotateApiKey: (
      path: Pick<ApiKey, "organizationId" | "id">,
      successor: ApiKey,
      expiresAt: DateTime.Utc,
      entries: readonly [created: Audit.Entry, rotated: Audit.Entry]
    ) => Effect.Effect<void, NotFound | AlreadyExists | StoreUnavailable>
    readonly audit: AuditRecords
    /**
     * The whole content at one moment, sorted by ID, with the digests of secrets in their place: the seed of an equal
     * store.
     */
    readonly export: Effect.Effect<Seed, StoreUnavailable>
  }
>()("@cloud-management/service/Administration") {}
