import { DateTime, Duration, Effect, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Argument, Command } from "effect/cli"
import type { ApiKey } from "@cloud-management/service/KeyStore"
import * as Commands from "../commands.ts"
import * as Connection from "../connection/Connection.ts"
import * as Confirm from "../terminal/confirm.ts"
import * as Durations from "../input/duration.ts"
import * as Failure from "../output/Failure.ts"
import * as Format from "../output/Format.ts"
import * as Output from "../output/output.ts"
import * as Id from "../input/id.ts"
import * as Arguments from "./arguments.ts"
import * as Collection from "./collection.ts"
import * as Moment from "./moment.ts"
import * as Session from "./session.ts"

const format = (moment: DateTime.Utc | undefined) => (moment === undefined ? null : DateTime.formatIso(moment))
/** Which hour, by its beginning, but never before the key was made. Uses of before it was recorded are not known. */
const lastUse = ({ createdAt, lastUsedAt }: ApiKey) =>
  format(lastUsedAt !== undefined && createdAt !== undefined ? DateTime.max(lastUsedAt, createdAt) : lastUsedAt)
const isExpired = ({ expiresAt }: ApiKey, now: DateTime.Utc) =>
  expiresAt !== undefined && DateTime.isLessThanOrEqualTo(expiresAt, now)
/** The state for people: that of a key that would work but for its expiry is another one. */
const state = (key: ApiKey, now: DateTime.Utc) =>
  key.state === "enabled" && isExpired(key, now) ? "expired" : key.state
const columns = ["ID", "State", "Created", "Last used", "Expires", "Name"]
const { add, alter, change, list, remove, show, table, take, update } = Collection.make<ApiKey, "organizationId">({
  kind: "key",
  owner: ["organizationId"],
  id: "keyId",
  in: ({ apiKeys }) => apiKeys,
  /** Without its digest, from which a weak secret could be guessed. */
  json: (key, now) => ({
    id: key.id,
    organizationId: key.organizationId,
    name: key.name,
    state: key.state,
    expired: isExpired(key, now),
    expiresAt: format(key.expiresAt),
    createdAt: format(key.createdAt),
    lastUsedAt: lastUse(key)
  }),
  rows: (key, now) => [
    ["ID", key.id],
    ["Organization ID", key.organizationId],
    ["Name", key.name],
    ["State", state(key, now)],
    ["Created", format(key.createdAt) ?? "unknown"],
    ["Last used", lastUse(key) ?? "not recorded"],
    ["Expires", Moment.format(key.expiresAt)]
  ],
  columns
})

const owner = { organizationId: Arguments.organization.one }
const path = { ...owner, id: Arguments.key.one }
const { several } = Arguments.key
type Path = Pick<ApiKey, "organizationId" | "id">

const generate = Effect.fnUntraced(function* (fields: Pick<ApiKey, "id" | "organizationId" | "name" | "expiresAt">) {
  const ApiKeySecret = yield* Effect.promise(() => import("@cloud-management/service/ApiKeySecret"))
  if ((yield* Format.Format) === "ids") {
    return yield* Failure.usage("--format ids does not show the secret, which would be lost", "Pass json, or omit it.")
  }
  const secret = yield* Effect.provide(ApiKeySecret.generate, SecureRandom.layerWebCrypto)
  const key: ApiKey = {
    ...fields,
    state: "enabled",
    createdAt: yield* DateTime.now,
    lastUsedAt: undefined,
    digest: ApiKeySecret.digest(secret)
  }
  return { key, secret }
})

/** Takes a key back whose secret nobody has; says if it remains. */
const revoke = (path: Path) =>
  Effect.catch(take(path), () =>
    Format.warn("KeyRemains", `the key ${path.id}, whose secret is lost, could not be deleted: delete it`)
  )

/** Gives a key the expiry again that a rotation has shortened. */
const restore = (path: Path, expiresAt: ApiKey["expiresAt"]) => {
  const fields = { changed: "expiresAt", expiresAt: Moment.format(expiresAt) }
  return Effect.ignore(alter("key.changed", path, (current) => ({ ...current, expiresAt }), fields))
}

const once = (secret: Redacted.Redacted, ...notes: ReadonlyArray<string>) => ({
  json: { secret: Redacted.value(secret) },
  rows: [["Secret", Redacted.value(secret)] as const],
  notes: ["", "Save the secret now: it is not shown again, and only its digest is stored.", ...notes]
})

/** When a key expires that is given as long a life as another one was given, which a rotation has shortened since. */
const expiryLike = Effect.fnUntraced(function* (
  { audit }: Session.Changing["administration"],
  { createdAt, expiresAt, id }: ApiKey
) {
  if (expiresAt === undefined) return undefined
  const newest = (yield* audit.list({ keyId: id }, 1000)).find(({ expiresAt }) => expiresAt !== undefined)
  if (newest?.audit === "key.rotated") {
    return yield* Failure.usage(
      `the key ${id} was rotated already, and is replaced by ${newest.successorId}`,
      "Rotate that one, or pass the expiry of the new key with --expires."
    )
  }
  const advice = "Pass the expiry of the new key with --expires."
  if (createdAt === undefined) return yield* Failure.usage("the lifetime of this key is not known", advice)
  return DateTime.addDuration(yield* DateTime.now, DateTime.distance(createdAt, expiresAt))
})

interface Rotation {
  readonly current: ApiKey
  readonly key: ApiKey
  readonly secret: Redacted.Redacted
  readonly until: DateTime.Utc
}

const replace = Effect.fnUntraced(function* (
  { administration, logged, store }: Session.Changing,
  { id: keyId, organizationId }: Path,
  overlap: Duration.Duration,
  expires: Option.Option<DateTime.Utc | undefined>,
  made: (rotation: Rotation) => void
) {
  const { NotFound } = yield* Effect.promise(() => import("@cloud-management/service/Administration"))
  const current = Option.getOrUndefined(yield* store.apiKey(keyId))
  if (current?.organizationId !== organizationId) return yield* new NotFound({ kind: "key", id: keyId })
  if (current.state === "disabled") {
    return yield* Failure.usage(`the key ${keyId} is disabled`, "Enable it first, or create another key.")
  }
  const now = yield* DateTime.now
  if (isExpired(current, now)) {
    return yield* Failure.usage(
      `the key ${keyId} expired at ${Moment.format(current.expiresAt)}`,
      "Give it a later expiry first with `admin keys update`, or create another key."
    )
  }
  const given = Option.isSome(expires) ? expires.value : yield* expiryLike(administration, current)
  const expiresAt = yield* Moment.resolve(given)
  const id = yield* Arguments.key.generated
  const { key, secret } = yield* generate({ id, organizationId, name: current.name, expiresAt })
  const end = DateTime.addDuration(now, overlap)
  if (Moment.isBeyond(end))
    return yield* Failure.usage("--overlap: it ends after the year 9999", "Pass a shorter duration.")
  const until = current.expiresAt === undefined ? end : DateTime.min(end, current.expiresAt)
  const created = { organizationId, keyId: key.id, expiresAt: expiresAt && Moment.format(expiresAt) }
  const rotated = { organizationId, keyId, successorId: key.id, expiresAt: Moment.format(until) }
  yield* logged("key.rotated", rotated, (second) =>
    logged("key.created", created, (first) =>
      Effect.andThen(
        administration.rotateApiKey({ organizationId, id: keyId }, key, until, [first, second]),
        Effect.sync(() => made({ current, key, secret, until }))
      )
    )
  )
})

const turn = (name: "enable" | "disable", description: string) =>
  Command.make(name, { ...owner, ids: several }, ({ ids, ...owner }) => {
    const state = `${name}d` as const
    return Id.each(ids, (id) => change(`key.${state}`, { ...owner, id }, (current) => ({ ...current, state }), {}))
  }).pipe(Collection.describe(description, "ORGANIZATION_ID KEY_ID"))

export const keys = Command.make("keys").pipe(
  Collection.describe("API keys of organizations", "list ORGANIZATION_ID"),
  Command.withSubcommands([
    Command.make("list", owner, list).pipe(Collection.describe("Show the keys of an organization", "ORGANIZATION_ID")),
    Commands.make(
      "find",
      {
        file: Argument.String("FILE").pipe(
          Argument.withDescription("File that contains only the secret; - reads stdin, or prompts at a terminal")
        )
      },
      function* ({ file }) {
        const ApiKeySecret = yield* Effect.promise(() => import("@cloud-management/service/ApiKeySecret"))
        const secret = yield* Connection.secretOf(file, "argument <FILE>")
        const keys = yield* Session.read(({ apiKeysOf }) => apiKeysOf(ApiKeySecret.digest(secret)))
        if (keys.length === 0) {
          const text = Redacted.value(secret)
          if (/\s/.test(text) || text.indexOf(ApiKeySecret.prefix) > 0) {
            return yield* Failure.usage(
              "argument <FILE>: it contains more than a secret",
              "Pass the secret alone, from cmk_ to before the next quote, space or line end."
            )
          }
          return yield* Failure.missing(
            "no key has this secret",
            "It may have been deleted: `cloud-management admin audit list --name NAME` shows by whom."
          )
        }
        yield* table(keys, ["Organization ID", ...columns])
      }
    ).pipe(Collection.describe("Show the key of a secret, such as one that leaked", "-")),
    Commands.make(
      "create",
      { ...owner, name: Arguments.newName, id: Arguments.key.new, expires: Moment.expires },
      function* ({ expires, ...given }) {
        const expiresAt = yield* Moment.resolve(Option.getOrUndefined(expires))
        const { key, secret } = yield* generate({ ...given, expiresAt })
        yield* Output.once(
          (made) => add(key, { expiresAt: expiresAt && Moment.format(expiresAt) }, made),
          () => show(key, once(secret)),
          () => revoke(key)
        )
      }
    ).pipe(Collection.describe("Create a key, and show its secret once", "ORGANIZATION_ID deploy --expires 90d")),
    Commands.make(
      "update",
      { ...path, name: Arguments.name, expires: Moment.expires },
      function* ({ expires, name, ...path }) {
        const expiresAt = yield* Effect.transposeOption(Option.map(expires, Moment.resolve))
        const fields = { expiresAt: Option.getOrUndefined(Option.map(expiresAt, Moment.format)) }
        yield* update(path, Collection.given({ name, expiresAt }), "--name or --expires", fields)
      }
    ).pipe(
      Collection.describe("Change the name of a key, or when it expires", "ORGANIZATION_ID KEY_ID --expires never")
    ),
    Command.make(
      "rotate",
      {
        ...path,
        overlap: Durations.flag("overlap", "How long both keys work [default: 24h]"),
        expires: Moment.expires
      },
      ({ expires, overlap, ...path }) => {
        const lasting = Option.getOrElse(overlap, () => Duration.days(1))
        return Output.once(
          (made: (rotation: Rotation) => void) =>
            Session.changing((database) => replace(database, path, lasting, expires, made)),
          ({ key, secret, until }) =>
            show(key, once(secret, `The key ${path.id} stops working at ${DateTime.formatIso(until)} or earlier.`)),
          ({ current: { expiresAt }, key }) => Effect.andThen(restore(path, expiresAt), revoke(key))
        )
      }
    ).pipe(
      Collection.describe(
        "Create a key that replaces another, and let the old one expire",
        "ORGANIZATION_ID KEY_ID --overlap 7d",
        "The new key has the name and the lifetime of the old one"
      )
    ),
    turn("disable", "Disable a key, from its next request on"),
    turn("enable", "Enable a disabled key"),
    Command.make("delete", { ...owner, ids: several, yes: Confirm.yes }, ({ ids, yes, ...owner }) =>
      Id.each(ids, (id) => remove({ ...owner, id }, yes))
    ).pipe(Collection.describe("Delete a key for good, even the last one", "ORGANIZATION_ID KEY_ID"))
  ])
)
