import { ConfigProvider, Effect, Option, Record } from "effect"
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
const ways = {
  keyId: setting("key-id", "id", "ID of the key, which is then sent with its secret by HTTP Basic"),
  header: setting("key-header", "name", "Header with the secret [default: a bearer token in authorization]", header),
  query: setting("key-query", "name", "Parameter of the query with the secret"),
  cookie: setting("key-cookie", "name", "Cookie with the secret")
}
const KeySecretFile = setting(
  "key-secret-file",
  "path",
  "File that contains the secret; - reads stdin, or prompts at a terminal"
)

const connect = Effect.gen(function* () {
  const [baseUrl, way] = [yield* BaseUrl, Record.getSomes(yield* Effect.all(ways))]
  if (Option.isNone(baseUrl)) return yield* Failure.usage("the base URL is missing: pass --base-url URL")
  const keySecret = Option.getOrUndefined(yield* Connection.keySecret)?.value
  if (Object.keys(way).length > (keySecret === undefined ? 0 : 1)) {
    const flags = "--key-id, --key-header, --key-query and --key-cookie"
    return yield* Failure.usage(`${flags} are ways to send the secret in --key-secret-file: pass it, and one of them`)
  }
  return yield* Connection.open({ baseUrl: baseUrl.value, keySecret, ...way }, {}, true)
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
    Command.withGlobalFlags([BaseUrl, ...Object.values(ways), KeySecretFile, Connection.Timeout, Progress.Verbose])
  )
})
