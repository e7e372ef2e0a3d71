import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Command from "effect/cli/Command"
import type { ApiKey } from "@cloud-management/service/Store"
import * as Confirm from "../confirm.ts"
import * as Durations from "../duration.ts"
import * as Failure from "../Failure.ts"
import * as Format from "../Format.ts"
import * as Logging from "../Logging.ts"
import * as Table from "../table.ts"
import * as Arguments from "./arguments.ts"
import * as Expiry from "./expiry.ts"
import * as Session from "./session.ts"

const format = (moment: DateTime.Utc | undefined) => (moment === undefined ? null : DateTime.formatIso(moment))
/** Which hour, by its beginning, but never before the key was made. Uses of before it was recorded are not known. */
const lastUse = ({ createdAt, lastUsedAt }: ApiKey) =>
  format(lastUsedAt !== undefined && createdAt !== undefined ? DateTime.max(lastUsedAt, createdAt) : lastUsedAt)
const lastUsed = (key: ApiKey) => lastUse(key) ?? "not recorded"
const isExpired = ({ expiresAt }: ApiKey, now: DateTime.Utc) =>
  expiresAt !== undefined && DateTime.isLessThanOrEqualTo(expiresAt, now)
/** The state for people: that of a key that would work but for its expiry is another one. */
const state = (key: ApiKey, now: DateTime.Utc) =>
  key.state === "enabled" && isExpired(key, now) ? "expired" : key.state
/** Without its digest, from which a weak secret could be guessed. */
const json = (key: ApiKey, now: DateTime.Utc) => ({
  id: key.id,
  organizationId: key.organizationId,
  name: key.name,
  state: key.state,
  expired: isExpired(key, now),
  expiresAt: format(key.expiresAt),
  createdAt: format(key.createdAt),
  lastUsedAt: lastUse(key)
})
const rows = (key: ApiKey, now: DateTime.Utc): ReadonlyArray<Table.Row> => [
  ["ID", key.id],
  ["Organization ID", key.organizationId],
  ["Name", key.name],
  ["State", state(key, now)],
  ["Created", format(key.createdAt) ?? "unknown"],
  ["Last used", lastUsed(key)],
  ["Expires", Expiry.format(key.expiresAt)]
]
const show = (key: ApiKey) =>
  Effect.flatMap(DateTime.now, (now) =>
    Format.print({
      json: Effect.succeed(json(key, now)),
      table: (width) => Table.record(rows(key, now), width).join("\n")
    })
  )

/** A new key with a secret of its own. */
const generate = Effect.fnUntraced(function* (
  fields: Pick<ApiKey, "organizationId" | "name" | "expiresAt">,
  id: Option.Option<ApiKey["id"]> = Option.none()
) {
  const ApiKeySecret = yield* Effect.promise(() => import("@cloud-management/service/ApiKeySecret"))
  const secret = yield* Effect.provide(ApiKeySecret.generate, SecureRandom.layerWebCrypto)
  const key: ApiKey = {
    id: yield* Arguments.orGenerated(Arguments.ids.key, id),
    ...fields,
    state: "enabled",
    createdAt: yield* DateTime.now,
    lastUsedAt: undefined,
    digest: ApiKeySecret.digest(secret)
  }
  return { key, secret }
})

/** Shows a new key and its secret, this once. */
const showSecret = (key: ApiKey, secret: Redacted.Redacted, ...notes: ReadonlyArray<string>) =>
  Effect.flatMap(DateTime.now, (now) =>
    Format.print({
      json: Effect.succeed({ ...json(key, now), secret: Redacted.value(secret) }),
      table: (width) =>
        [
          ...Table.record([...rows(key, now), ["Secret", Redacted.value(secret)]], width),
          "",
          "Save the secret now: it is not shown again, and only its digest is stored.",
          ...notes
        ].join("\n")
    })
  )

const list = Command.make(
  "list",
  { organizationId: Arguments.organizationId },
  Effect.fnUntraced(function* (owner) {
    const keys = yield* Session.read(({ apiKeys }) => apiKeys.list(owner))
    const now = yield* DateTime.now
    yield* Format.print({
      json: Effect.succeed(keys.map((key) => json(key, now))),
      table: (width) =>
        Table.columns(
          [
            ["ID", "State", "Created", "Last used", "Expires", "Name"],
            ...keys.map((key) => [
              key.id,
              state(key, now),
              format(key.createdAt) ?? "unknown",
              lastUsed(key),
              Expiry.format(key.expiresAt),
              key.name
            ])
          ],
          width
        ).join("\n")
    })
  })
).pipe(
  Command.withDescription("Show the keys of an organization"),
  Command.withExamples([{ command: "cloud-management admin keys list ORGANIZATION_ID --database cloud.db" }])
)

const create = Command.make(
  "create",
  {
    organizationId: Arguments.organizationId,
    name: Arguments.newName,
    id: Arguments.newId(Arguments.ids.key),
    expires: Expiry.flag
  },
  Effect.fnUntraced(function* ({ expires, id, name, organizationId }) {
    const expiresAt = Option.isSome(expires) ? yield* Expiry.resolve(expires.value) : undefined
    const { key, secret } = yield* generate({ organizationId, name, expiresAt }, id)
    const fields = { organizationId, keyId: key.id, expiresAt: expiresAt && Expiry.format(expiresAt) }
    yield* Session.change("key.created", fields, ({ apiKeys }, entry) => apiKeys.create(key, entry))
    yield* showSecret(key, secret)
  })
).pipe(
  Command.withDescription("Create a key, and show its secret once"),
  Command.withExamples([
    { command: "cloud-management admin keys create ORGANIZATION_ID deploy --expires 90d --database cloud.db" }
  ])
)

const update = Command.make(
  "update",
  {
    organizationId: Arguments.organizationId,
    keyId: Arguments.keyId,
    name: Arguments.name,
    expires: Expiry.flag
  },
  Effect.fnUntraced(function* ({ expires, keyId, name, organizationId }) {
    const changed = yield* Arguments.given({ name, expiresAt: expires }, "--name or --expires")
    const expiry = Option.isSome(expires) ? { expiresAt: yield* Expiry.resolve(expires.value) } : undefined
    const fields = { organizationId, keyId, changed, expiresAt: expiry && Expiry.format(expiry.expiresAt) }
    const key = yield* Session.change("key.changed", fields, ({ apiKeys }, entry) =>
      apiKeys.update(
        { organizationId, id: keyId },
        (current) => ({ ...current, name: Arguments.or(name, current.name), ...expiry }),
        entry
      )
    )
    yield* show(key)
  })
).pipe(
  Command.withDescription("Change the name of a key, or when it expires"),
  Command.withExamples([
    { command: "cloud-management admin keys update ORGANIZATION_ID KEY_ID --expires never --database cloud.db" }
  ])
)

/** When a key expires that is given as long a life as another one was given, which a rotation has shortened since. */
const expiryLike = Effect.fnUntraced(function* (
  { audit }: Session.Changing["administration"],
  { createdAt, expiresAt, id }: ApiKey
) {
  if (expiresAt === undefined) return undefined
  const records = yield* audit.list({ keyId: id }, 1000)
  const newest = records.find(({ expiresAt }) => expiresAt !== undefined)
  if (newest?.audit === "key.rotated") {
    return yield* Failure.usage(
      `the key ${id} was rotated already, and is replaced by ${newest.successorId}`,
      "Rotate that one, or pass the expiry of the new key with --expires."
    )
  }
  if (createdAt === undefined) {
    return yield* Failure.usage(
      "the lifetime of this key is not known",
      "Pass the expiry of the new key with --expires."
    )
  }
  return DateTime.addDuration(yield* DateTime.now, DateTime.distance(createdAt, expiresAt))
})

/** Makes a key in place of another, and returns it, its secret, and when the other one expires at the latest. */
const replace = Effect.fnUntraced(function* (
  { administration, logged, store }: Session.Changing,
  { keyId, organizationId }: Pick<ApiKey, "organizationId"> & { readonly keyId: ApiKey["id"] },
  overlap: Duration.Duration,
  expires: Option.Option<Effect.Effect<DateTime.Utc | undefined>>
) {
  const { NotFound } = yield* Effect.promise(() => import("@cloud-management/service/Administration"))
  const found = yield* store.apiKey(keyId)
  const current = Option.getOrUndefined(Option.filter(found, (key) => key.organizationId === organizationId))
  if (current === undefined) return yield* new NotFound({ kind: "key", id: keyId })
  if (current.state === "disabled") {
    return yield* Failure.usage(`the key ${keyId} is disabled`, "Enable it first, or create another key.")
  }
  const now = yield* DateTime.now
  if (isExpired(current, now)) {
    return yield* Failure.usage(
      `the key ${keyId} expired at ${Expiry.format(current.expiresAt)}`,
      "Give it a later expiry first with `admin keys update`, or create another key."
    )
  }
  const expiresAt = yield* Expiry.resolve(Option.getOrElse(expires, () => expiryLike(administration, current)))
  const { key, secret } = yield* generate({ organizationId, name: current.name, expiresAt })
  const end = DateTime.addDuration(now, overlap)
  if (Expiry.isBeyond(end))
    return yield* Failure.usage("--overlap: it ends after the year 9999", "Pass a shorter duration.")
  const until = current.expiresAt === undefined ? end : DateTime.min(end, current.expiresAt)
  const created = { organizationId, keyId: key.id, expiresAt: expiresAt && Expiry.format(expiresAt) }
  const rotated = { organizationId, keyId, successorId: key.id, expiresAt: Expiry.format(until) }
  yield* logged("key.rotated", rotated, (second) =>
    logged("key.created", created, (first) =>
      administration.rotateApiKey({ organizationId, id: keyId }, key, until, [first, second])
    )
  )
  return { key, secret, until }
})

const rotate = Command.make(
  "rotate",
  {
    organizationId: Arguments.organizationId,
    keyId: Arguments.keyId,
    overlap: Durations.flag("overlap", "How long both keys work [default: 24h]"),
    expires: Expiry.flag
  },
  Effect.fnUntraced(
    function* ({ expires, overlap, ...path }) {
      const database = yield* Session.changing()
      const { key, secret, until } = yield* Effect.mapError(
        replace(
          database,
          path,
          Option.getOrElse(overlap, () => Duration.days(1)),
          expires
        ),
        (error) => (error._tag === "Failure" ? error : database.failure(error))
      )
      yield* showSecret(key, secret, `The key ${path.keyId} stops working at ${DateTime.formatIso(until)} or earlier.`)
    },
    Effect.scoped,
    Logging.within
  )
).pipe(
  Command.withDescription("Create a key that replaces another, and let the old one expire"),
  Command.withExamples([
    {
      command: "cloud-management admin keys rotate ORGANIZATION_ID KEY_ID --overlap 7d --database cloud.db",
      description: "The new key has the name and the lifetime of the old one"
    }
  ])
)

const turn = (name: "enable" | "disable", description: string) =>
  Command.make(
    name,
    { organizationId: Arguments.organizationId, keyId: Arguments.keyId },
    Effect.fnUntraced(function* ({ keyId, organizationId }) {
      const state = `${name}d` as const
      const key = yield* Session.change(`key.${state}`, { organizationId, keyId }, ({ apiKeys }, entry) =>
        apiKeys.update({ organizationId, id: keyId }, (current) => ({ ...current, state }), entry)
      )
      yield* show(key)
    })
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([
      { command: `cloud-management admin keys ${name} ORGANIZATION_ID KEY_ID --database cloud.db` }
    ])
  )

const remove = Command.make(
  "delete",
  { organizationId: Arguments.organizationId, keyId: Arguments.keyId, yes: Confirm.yes },
  Effect.fnUntraced(function* ({ keyId, organizationId, yes }) {
    if (!yes) yield* Confirm.deletion(`the key ${keyId}`)
    yield* Session.change("key.deleted", { organizationId, keyId }, ({ apiKeys }, entry) =>
      apiKeys.delete({ organizationId, id: keyId }, entry)
    )
    yield* Session.deleted(keyId)
  })
).pipe(
  Command.withDescription("Delete a key for good, even the last one"),
  Command.withExamples([{ command: "cloud-management admin keys delete ORGANIZATION_ID KEY_ID --database cloud.db" }])
)

/** `cloud-management admin keys …` */
export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys of organizations"),
  Command.withExamples([{ command: "cloud-management admin keys list ORGANIZATION_ID --database cloud.db" }]),
  Command.withSubcommands([
    list,
    create,
    update,
    rotate,
    turn("disable", "Disable a key, from its next request on"),
    turn("enable", "Enable a disabled key"),
    remove
  ])
)
