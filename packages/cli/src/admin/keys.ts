import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Command from "effect/cli/Command"
import type { ApiKey } from "@cloud-management/service/Store"
import * as Confirm from "../confirm.ts"
import * as Format from "../Format.ts"
import * as Table from "../table.ts"
import * as Arguments from "./arguments.ts"
import * as Expiry from "./expiry.ts"
import * as Session from "./session.ts"

const format = (moment: DateTime.Utc | undefined) => (moment === undefined ? null : DateTime.formatIso(moment))
/** Without its digest, from which a weak secret could be guessed. */
const json = (key: ApiKey) => ({
  id: key.id,
  organizationId: key.organizationId,
  name: key.name,
  state: key.state,
  expiresAt: format(key.expiresAt),
  createdAt: format(key.createdAt)
})
const rows = (key: ApiKey): ReadonlyArray<Table.Row> => [
  ["ID", key.id],
  ["Organization ID", key.organizationId],
  ["Name", key.name],
  ["State", key.state],
  ["Created", format(key.createdAt) ?? "unknown"],
  ["Expires", Expiry.format(key.expiresAt)]
]
const show = (key: ApiKey) =>
  Format.print({ json: Effect.succeed(json(key)), table: (width) => Table.record(rows(key), width).join("\n") })

const list = Command.make(
  "list",
  { organizationId: Arguments.organizationId },
  Effect.fnUntraced(function* (owner) {
    const keys = yield* Session.read(({ apiKeys }) => apiKeys.list(owner))
    yield* Format.print({
      json: Effect.succeed(keys.map(json)),
      table: (width) =>
        Table.columns(
          [
            ["ID", "State", "Created", "Expires", "Name"],
            ...keys.map((key) => [
              key.id,
              key.state,
              format(key.createdAt) ?? "unknown",
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
    const ApiKeySecret = yield* Effect.promise(() => import("@cloud-management/service/ApiKeySecret"))
    const secret = yield* Effect.provide(ApiKeySecret.generate, SecureRandom.layerWebCrypto)
    const key: ApiKey = {
      id: yield* Arguments.orGenerated(Arguments.ids.key, id),
      organizationId,
      name,
      state: "enabled",
      expiresAt,
      createdAt: yield* DateTime.now,
      digest: ApiKeySecret.digest(secret)
    }
    const fields = { organizationId, keyId: key.id, expiresAt: expiresAt && Expiry.format(expiresAt) }
    yield* Session.change("key.created", fields, ({ apiKeys }, entry) => apiKeys.create(key, entry))
    yield* Format.print({
      json: Effect.succeed({ ...json(key), secret: Redacted.value(secret) }),
      table: (width) =>
        [
          ...Table.record([...rows(key), ["Secret", Redacted.value(secret)]], width),
          "",
          "Keep the secret now: it is not shown again, and only its digest is stored."
        ].join("\n")
    })
  })
).pipe(
  Command.withDescription("Make a key, and show its secret this once"),
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
  Command.withDescription("Delete a key for good, the last one as well"),
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
    turn("disable", "Make a key stop working, from its next request on"),
    turn("enable", "Make a disabled key work again"),
    remove
  ])
)
