import { ConfigProvider, Effect, Option } from "effect"
import { Command, Flag, GlobalFlag } from "effect/cli"
import { RequestHeaders } from "@cloud-management/client"
import * as Connection from "../connection/Connection.ts"
import * as Progress from "../connection/progress.ts"
import * as Flags from "../input/flag.ts"
import * as Setting from "../input/setting.ts"
import * as Derived from "../operations/derived.ts"
import * as Rows from "../operations/rows.ts"
import * as Failure from "../output/Failure.ts"
import * as Folder from "./folder.ts"

// No variable and no profile: what they hold is for another service.
const setting = <const Name extends string>(
  name: Name,
  metavar: string,
  description: string,
  kind: Partial<Flags.Kind<string>> = {}
) => {
  const text = Flags.text(`the ${metavar}`, metavar, description)
  return GlobalFlag.Setting(name)({ flag: Flag.optional(Flags.of(name, { ...text, ...kind })) })
}

const header = {
  parse: Option.liftPredicate(
    (name: string) => /^authorization$/i.test(name) || RequestHeaders.rule(name, "a", {}) === undefined
  ),
  expected: "authorization, or a header that the client does not set itself"
}

const BaseUrl = setting("base-url", "url", "URL of the API, with the path that its operations are below")
const KeyId = setting("key-id", "id", "ID of the key, which is then sent with its secret by HTTP Basic")
const KeyHeader = setting(
  "key-header",
  "name",
  "Header that has the secret [default: a bearer token in authorization]",
  header
)
const KeySecretFile = setting(
  "key-secret-file",
  "path",
  "File that contains the secret; - reads stdin, or prompts at a terminal"
)

const connect = Effect.gen(function* () {
  const [baseUrl, keyId, keyHeader] = [yield* BaseUrl, yield* KeyId, yield* KeyHeader]
  if (Option.isNone(baseUrl)) return yield* Failure.usage("the base URL is missing: pass --base-url URL")
  const secret = yield* Connection.keySecret
  if (Option.isSome(keyId) && Option.isSome(keyHeader))
    return yield* Failure.usage("--key-id and --key-header are two ways to send a secret: pass one of them")
  if (Option.isNone(secret) && (Option.isSome(keyId) || Option.isSome(keyHeader)))
    return yield* Failure.usage("the secret is missing: pass --key-secret-file PATH (- for stdin)")
  const key = { keyId: Option.getOrUndefined(keyId), keyHeader: Option.getOrUndefined(keyHeader) }
  const own = { baseUrl: baseUrl.value, keySecret: Option.getOrUndefined(secret)?.value }
  return yield* Connection.open({ ...own, ...key }, {}, true)
})

const source = Effect.map(KeySecretFile, (file) =>
  Option.map(file, (value) => ({ value, source: "--key-secret-file" }))
)

/** The environment without the settings of our service: its key must not reach another one. */
export const environment = [
  ConfigProvider.ConfigProvider,
  Effect.map(ConfigProvider.ConfigProvider, (given) =>
    ConfigProvider.make((path) => (String(path[0]).startsWith(Setting.prefix) ? Effect.undefined : given.load(path)))
  )
] as const

/** The command for the operations of a generated folder. */
export const rootOf = Effect.fnUntraced(function* (folder: string) {
  const registry = yield* Folder.read(folder)
  const program = `cloud-management --api ${folder}`
  const face = { program: `${program} --base-url URL`, words: Rows.words, connect }
  const [{ api } = {}] = Object.values(registry).flatMap((group) => Object.values(group))
  return Command.make(program).pipe(
    Command.withDescription(`Client for ${[api?.name ?? "the API", api?.version ?? []].flat().join(" ")}`),
    Command.withSubcommands(
      Object.entries(registry).map(([name, group]) =>
        Derived.ofGroup(face, name, group).pipe(Command.provideEffect(Connection.KeySecretFile, source))
      )
    ),
    Command.withGlobalFlags([BaseUrl, KeyId, KeyHeader, KeySecretFile, Connection.Timeout, Progress.Verbose])
  )
})
