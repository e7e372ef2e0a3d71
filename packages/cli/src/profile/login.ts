import { Effect, FileSystem, Option } from "effect"
import { Command, Prompt } from "effect/cli"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import { listOrganizations } from "@cloud-management/core/Operations"
import * as Commands from "../commands.ts"
import * as Ask from "../terminal/ask.ts"
import * as Confirm from "../terminal/confirm.ts"
import * as Connection from "../connection/Connection.ts"
import * as Format from "../output/Format.ts"
import * as Input from "../input/input.ts"
import * as Setting from "../input/setting.ts"
import * as Profile from "./Profile.ts"

/** A flag, or else a question, or else, where none can be asked, the variable or what is kept. */
const obtain = Effect.fnUntraced(function* (
  question: string,
  given: Option.Option<Setting.Found<string>>,
  kept: string | undefined,
  need: "baseUrl" | "keyId"
) {
  const found = Option.getOrUndefined(given)
  if (found !== undefined && Setting.isFlag(found)) return Prompt.succeed(found.value)
  const known = found?.value ?? kept
  if (yield* Ask.can) return Ask.text(question, known)
  return Prompt.succeed(known ?? (yield* Connection.missing(need)))
})

const settings = ["CLOUD_MANAGEMENT_BASE_URL", "CLOUD_MANAGEMENT_KEY_ID", "CLOUD_MANAGEMENT_KEY_SECRET"] as const

export const command = Commands.make("login", { yes: Confirm.yes }, function* ({ yes }) {
  const name = yield* Profile.selected
  // before any question: without a folder, the replies could not be kept
  const path = yield* Profile.file
  const kept = (yield* Profile.all).get(name)
  const baseUrl = yield* obtain("Base URL of the service", yield* Connection.baseUrl, kept?.baseUrl, "baseUrl")
  const keyId = yield* obtain("ID of the API key", yield* Connection.KeyId, kept?.keyId, "keyId")
  const file = Option.filter(yield* Connection.KeySecretFile, Setting.isFlag)
  const asks = !Option.exists(file, ({ value }) => !Input.isStdin(value)) && (yield* Ask.can)
  const secret = asks ? Option.none() : yield* Connection.keySecret
  const keySecret = asks
    ? Ask.hidden
    : Option.isSome(secret)
      ? Prompt.succeed(secret.value.value)
      : yield* Connection.missing("keySecret")

  // at once, or of the lines that someone pastes only the first would be read
  const profile = yield* Ask.run(Prompt.all({ baseUrl, keyId, keySecret }))
  const connection = yield* Connection.open(profile)
  const { value } = yield* Connection.exchange(connection, listOrganizations, {})
  const isOther = kept !== undefined && (kept.baseUrl !== profile.baseUrl || kept.keyId !== profile.keyId)
  if (isOther && !yes && (yield* TerminalCapabilities).canPrompt) {
    yield* Confirm.replacement(`the profile ${name}, the key ${kept.keyId} for ${kept.baseUrl}`)
  }
  yield* Profile.save(name, profile)
  const { mode } = yield* Effect.orDie(FileSystem.FileSystem.use((files) => files.stat(path)))
  const permissions = (mode & 0o777).toString(8)

  const [organization] = value.result
  yield* Format.printRecord(
    {
      profile: name,
      file: path,
      mode: permissions,
      baseUrl: profile.baseUrl,
      keyId: profile.keyId,
      organization: { id: organization.id, name: organization.name ?? null }
    },
    [
      ["Signed in to", profile.baseUrl],
      ["Organization", organization.name],
      ["Organization ID", organization.id],
      ["Key ID", profile.keyId],
      ["Profile", name],
      ["Saved in", `${path} (mode ${permissions})`]
    ]
  )
  for (const setting of settings) {
    if (Option.isNone(yield* Setting.variable(setting))) continue
    yield* Format.warn("VariableSet", `${setting} is set and overrides every profile: unset it to use a profile`)
  }
}).pipe(
  Commands.described(
    "Verify a key with a call, and save it with its service for other commands",
    ["", "Prompt for the service and the key"],
    [
      "--profile staging --base-url URL --key-id ID --key-secret-file - <secret.txt",
      "Save another key under a name, without prompts"
    ]
  ),
  Command.withGlobalFlags(Connection.settings)
)
