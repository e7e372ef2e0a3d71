import { Duration, Effect, Option, Predicate, Redacted, Result } from "effect"
import { GlobalFlag } from "effect/cli"
import type { Client, Operation } from "@cloud-management/client"
import type { InvalidTransportOption } from "@cloud-management/node/TransportOptions"
import * as Ask from "../terminal/ask.ts"
import * as DurationFlag from "../input/duration.ts"
import * as Failure from "../output/Failure.ts"
import * as Flags from "../input/flag.ts"
import * as Format from "../output/Format.ts"
import type { Key } from "./client.ts"
import * as Input from "../input/input.ts"
import * as Profile from "../profile/Profile.ts"
import * as Progress from "./progress.ts"
import * as Setting from "../input/setting.ts"
import * as Spinner from "../terminal/spinner.ts"

const setting = <const Name extends Setting.Name>(name: Name, metavar: string, description: string) =>
  GlobalFlag.Setting(name)({ flag: Setting.found(name, Flags.text(metavar, metavar, description)) })

const BaseUrl = setting("base-url", "url", "URL of the service [env CLOUD_MANAGEMENT_BASE_URL]")
export const KeyId = setting("key-id", "id", "ID of the API key [env CLOUD_MANAGEMENT_KEY_ID]")
export const KeySecretFile = setting(
  "key-secret-file",
  "path",
  "File that contains the secret; - reads stdin, or prompts at a terminal [env CLOUD_MANAGEMENT_KEY_SECRET_FILE, or the secret in CLOUD_MANAGEMENT_KEY_SECRET]"
)

export const Timeout = GlobalFlag.Setting("timeout")({
  flag: DurationFlag.flag("timeout", "Time limit, with exit code 7 when it is over [default: 1m; 10m with --wait]")
})

export const settings = [Profile.Selected, BaseUrl, KeyId, KeySecretFile, Timeout, Progress.Verbose] as const

export const baseUrl = Effect.gen(function* () {
  const found = yield* BaseUrl
  if (Option.isNone(found) || found.value.value === found.value.value.trim()) return found
  return yield* Failure.usage(
    `${found.value.source}: there is white space around the URL`,
    "Remove it: it can come from a file or a paste."
  )
})

/** Never quotes the path, because it is the secret itself if someone confuses the settings. */
export const secretOf = Effect.fnUntraced(function* (path: string, setting: string) {
  if (Input.isStdin(path) && (yield* Ask.can)) return yield* Ask.secret
  const advice = "Pass the path of a file that contains only the secret, or - to read it from stdin."
  const secret = yield* Input.secret(path, (problem) => Failure.usage(`${setting}: the file ${problem}`, advice))
  return Redacted.make(secret, { label: "keySecret" })
})

const sized = (value: Redacted.Redacted, source: string) =>
  Redacted.value(value).length <= Input.longestSecret
    ? Effect.succeed(Option.some({ value, source }))
    : Failure.usage(
        `${source}: the secret is longer than ${Input.longestSecret} characters`,
        "Check that the file or the variable contains only the secret."
      )

export const keySecret = Effect.gen(function* () {
  const secret = yield* Setting.variable("CLOUD_MANAGEMENT_KEY_SECRET")
  const file = yield* KeySecretFile
  if (Option.isSome(secret) && !Option.exists(file, Setting.isFlag)) {
    if (Option.isSome(file)) return yield* Failure.usage(Setting.bothSet("CLOUD_MANAGEMENT_KEY_SECRET"))
    return yield* sized(Redacted.make(secret.value, { label: "keySecret" }), "CLOUD_MANAGEMENT_KEY_SECRET")
  }
  if (Option.isNone(file)) return Option.none()
  const { source, value } = file.value
  return yield* sized(yield* secretOf(value, source), source)
})

const needs = {
  baseUrl: ["the base URL", "CLOUD_MANAGEMENT_BASE_URL", "--base-url URL"],
  keyId: ["the ID of the API key", "CLOUD_MANAGEMENT_KEY_ID", "--key-id ID"],
  keySecret: ["the secret of the API key", "CLOUD_MANAGEMENT_KEY_SECRET", "--key-secret-file PATH (- for stdin)"]
} as const

export const missing = (...names: ReadonlyArray<keyof typeof needs>): Failure.Failure =>
  Failure.usage(
    names
      .map((name) => needs[name])
      .map(([what, env, flag]) => `${what} is missing: set ${env}, or pass ${flag}`)
      .join("\n"),
    "Or run `cloud-management login` at a terminal: it asks for all settings and stores them."
  )

/** A URL in the form that is compared: the host in lower case, the usual port left out, and a slash at the end. */
const address = (url: string) => {
  const href = URL.canParse(url) ? new URL(url).href : url
  return href.endsWith("/") ? href : `${href}/`
}

/**
 * The base URL and the credentials, each with its source: a flag, otherwise a variable, otherwise the profile. The file of
 * the profiles is read only for a missing setting, or if a profile is named. The key of a profile is sent to the address of
 * that profile alone, unless flags name both: a variable may stem from anyone who can write a file of settings.
 */
export const find = Effect.gen(function* () {
  const url = yield* baseUrl
  const keyId = yield* KeyId
  const hasSecret =
    Option.isSome(yield* KeySecretFile) || Option.isSome(yield* Setting.variable("CLOUD_MANAGEMENT_KEY_SECRET"))
  const has = { baseUrl: Option.isSome(url), keyId: Option.isSome(keyId), keySecret: hasSecret }
  const lacking = (["baseUrl", "keyId", "keySecret"] as const).filter((need) => !has[need])
  const isNamed = Option.isSome(yield* Profile.Selected)
  const name = isNamed || lacking.length > 0 ? yield* Profile.selected : ""
  const profile = isNamed ? yield* Profile.get(name) : name === "" ? undefined : (yield* Profile.all).get(name)
  if (profile === undefined && lacking.length > 0) return yield* missing(...lacking)
  const source = `profile ${name}`
  const kept = <Name extends keyof Profile.Profile>(name: Name) =>
    Option.map(Option.fromUndefinedOr(profile), ({ [name]: value }) => ({ value, source }))
  const all = Option.all({
    baseUrl: Option.orElse(url, () => kept("baseUrl")),
    keyId: Option.orElse(keyId, () => kept("keyId")),
    // last, since it may be asked for
    keySecret: Option.orElse(yield* keySecret, () => kept("keySecret"))
  })
  const found = yield* Effect.fromOption(all, () => missing(...lacking))
  const areExplicit = Setting.isFlag(found.baseUrl) && Option.exists(yield* Profile.Selected, Setting.isFlag)
  if (found.keySecret.source !== source || areExplicit) return found
  if (profile === undefined || address(profile.baseUrl) === address(found.baseUrl.value)) return found
  return yield* Failure.usage(
    `${found.baseUrl.source}: the key of the profile ${name} is for ${profile.baseUrl}, and is not sent to another address`,
    `Pass the key of that address as well. To send this one there, pass both --base-url and --profile ${name}.`
  )
})

const flags: { readonly [Option in Client.InvalidOption["option"]]?: readonly [name: string, advice: string] } = {
  baseUrl: ["--base-url (CLOUD_MANAGEMENT_BASE_URL)", "Pass only the scheme and the host: --base-url https://HOST."],
  keyId: ["--key-id (CLOUD_MANAGEMENT_KEY_ID)", "Pass only the ID here, and the secret with --key-secret-file."],
  keySecret: [
    "--key-secret-file (CLOUD_MANAGEMENT_KEY_SECRET)",
    "Check that the file or the variable contains only the secret."
  ],
  credentials: ["--key-secret-file", "Check that the file contains only the secret."]
}

const refused = (error: Client.InvalidOption | InvalidTransportOption, isForeign: boolean): Failure.Failure => {
  if (error._tag === "InvalidTransportOption") return Failure.usage(error.message)
  const [known = error.option, advice] = flags[error.option] ?? []
  // of another API, no variable is read, and the URL can have a path
  const name = isForeign ? known.replace(/ \(.*/, "") : known
  const isAdvised = !isForeign || error.option !== "baseUrl"
  return Failure.usage(error.message.replace(error.option, name), isAdvised ? advice : undefined)
}

/** Opens a client with settings. The client and the sockets are loaded only now. */
export const open = Effect.fnUntraced(function* (
  { baseUrl, ...key }: Key & Pick<Client.Options, "baseUrl">,
  options: Pick<Client.Options, "deadline" | "retry"> = {},
  isForeign: boolean = false
) {
  const total = Option.getOrUndefined(yield* Timeout)
  // an attempt may take a third of it, to leave time for others
  const deadline = total && { total, attempt: Duration.max(Duration.seconds(10), Duration.times(total, 1 / 3)) }
  const { connect } = yield* Effect.promise(() => import("./client.ts"))
  const connecting = connect({ baseUrl, ...key, ...(deadline && { deadline }), ...options })
  return { ...(yield* Effect.mapError(connecting, (error) => refused(error, isForeign))), baseUrl, isForeign }
})

export const settled = Effect.map(find, ({ baseUrl, keyId, keySecret }): Profile.Profile => ({
  baseUrl: baseUrl.value,
  keyId: keyId.value,
  keySecret: keySecret.value
}))

/** A client, the address of its service, and whether its API is another than the one that this command is for. */
export type Connection = Effect.Success<ReturnType<typeof open>>

export const connect = Effect.flatMap(settled, (settings) => open(settings))

export const pathOf = (operation: Operation.Any, input: object): string =>
  operation.path.replace(/:(:|\w+)/g, (variable, name: string) =>
    Predicate.hasProperty(input, name) ? encodeURIComponent(String(input[name])) : name === ":" ? ":" : variable
  )

/** Performs an operation, and fails as a command does. On a terminal, it shows that it is waiting. */
export const exchange = Effect.fnUntraced(function* <O extends Operation.Any>(
  { client, ...api }: Connection,
  operation: O,
  input: Operation.Input<O>
) {
  const timeout = Option.getOrUndefined(yield* Timeout)
  const { method } = operation
  const [elapsed, result] = yield* client.exchange(operation, input).pipe(
    // without a word, it would look as if nothing had been done
    Effect.onInterrupt(() =>
      method === "GET" || method === "HEAD"
        ? Effect.void
        : Format.warn("Interrupted", `interrupted: the ${method} request may have been applied`)
    ),
    Spinner.during(`waiting for ${api.baseUrl}`),
    Effect.result,
    Effect.timed
  )
  if (Result.isSuccess(result)) return result.success
  return yield* Failure.fromCloudError(result.failure, { path: pathOf(operation, input), elapsed, timeout, ...api })
})
