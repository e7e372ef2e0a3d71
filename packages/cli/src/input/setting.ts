import { Config, Effect, Option } from "effect"
import { CliError, Flag } from "effect/cli"
import * as Foreign from "../output/foreign.ts"
import { didYouMean, suggest } from "../help/suggest.ts"
import * as Flags from "./flag.ts"
import * as Input from "./input.ts"

/** An environment variable; empty variables are treated as unset. */
export const variable = (name: string) => Effect.orDie(Config.option(Config.String(name)))

/** All settings: each is a flag with a variable beside it, which a command knows without the flags of the others. */
const all = [
  "access-log",
  "base-url",
  "cors-origin",
  "database",
  "docs",
  "headers-timeout",
  "host",
  "keep-alive-timeout",
  "key-id",
  "key-secret-file",
  "log-format",
  "max-header-size",
  "max-requests",
  "max-target-length",
  "metrics-port",
  "port",
  "profile",
  "rate-limit",
  "request-timeout",
  "seed",
  "shutdown-timeout",
  "silence-timeout",
  "tls-cert",
  "tls-key",
  "trusted-proxy"
] as const
export type Name = (typeof all)[number]

/** The setting that can contain a password. A variable that ends with `_FILE` may name a file with the value. */
const secret: Name = "database"

export const prefix = "CLOUD_MANAGEMENT_"

const nameOf = (flag: Name) => flag.toUpperCase().replaceAll("-", "_")

/** The variable beside a flag: `CLOUD_MANAGEMENT_RATE_LIMIT` for `--rate-limit`. */
const variableOf = (flag: Name) => `${prefix}${nameOf(flag)}`

export const bothSet = (variable: string) => `${variable} and ${variable}_FILE are both set: unset one of them`

/** The last is that of commands that call a service, and has no flag. */
const names: ReadonlyArray<string> = [...all.map(nameOf), `${nameOf(secret)}_FILE`, "KEY_SECRET"]

/** Kubernetes sets these for a service of the same name. */
const ofKubernetes = /^(?:SERVICE_(?:HOST|PORT)|PORT_\d+_)/

/** Warnings about variables that look like a setting but are not one, by their names. Values are never quoted. */
export const unknown = (environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.entries(environment).flatMap(([variable, value = ""]) => {
    const name = variable.startsWith(prefix) ? variable.slice(prefix.length) : ""
    if (name === "" || value === "" || names.includes(name) || ofKubernetes.test(name)) return []
    const hint = didYouMean(suggest(name, names).map((name) => `${prefix}${name}`))
    return [`${Foreign.clean(variable)} is ignored, because it is not a setting.`, ...hint].join(" ")
  })

/** The name of a setting in messages: `--rate-limit (CLOUD_MANAGEMENT_RATE_LIMIT)`. */
export const named = (flag: Name) => `--${flag} (${variableOf(flag)})`

export const value = (flag: Name): Effect.Effect<Option.Option<string>> => variable(variableOf(flag))

type Kind<A> = Flags.Kind<A>
type Parsed<A> = Pick<Kind<A>, "expected" | "parse">

const fromText = <A>(name: Name, { expected, parse }: Parsed<A>, text: string) =>
  Effect.fromOption(
    parse(text),
    () => new CliError.InvalidValue({ option: `${name} (${variableOf(name)})`, value: text, expected, kind: "flag" })
  )

/** The text in the file that a variable names. No message quotes the path: someone may have put the secret there. */
const fromFile = Effect.fnUntraced(function* (setting: string, path: string) {
  const refusal = (problem: string) => new CliError.ValidationError({ message: `${setting}_FILE: the file ${problem}` })
  const text = yield* Input.secret(path, refusal)
  if (text === "") return yield* refusal("is empty")
  if (text.includes("\0"))
    return yield* refusal("is not text; pass the path of a SQLite file in CLOUD_MANAGEMENT_DATABASE")
  if (text.length <= Input.longestSecret) return text
  return yield* refusal(`is longer than ${Input.longestSecret} characters`)
})

const fromVariables = Effect.fnUntraced(function* <A>(name: Name, kind: Parsed<A>) {
  const own = variableOf(name)
  const text = yield* variable(own)
  const file = name === secret ? yield* variable(`${own}_FILE`) : Option.none<string>()
  if (Option.isSome(text) && Option.isSome(file)) {
    return yield* new CliError.ValidationError({ message: bothSet(own) })
  }
  const given = Option.isSome(file) ? Option.some(yield* fromFile(own, file.value)) : text
  return yield* Effect.transposeOption(Option.map(given, (text) => fromText(name, kind, text)))
})

export interface Found<A> {
  readonly value: A
  readonly source: string
}

export const isFlag = ({ source }: Found<unknown>): boolean => source.startsWith("--")

/** A flag, otherwise its variable, otherwise nothing. */
export const found = <A>(name: Name, kind: Kind<A>): Flag.Flag<Option.Option<Found<A>>> => {
  const from = (source: string) => (value: A) => ({ value, source })
  return Flags.of(name, kind).pipe(
    Flag.map((value) => Option.some(from(`--${name}`)(value))),
    Flag.withDefault(Effect.map(fromVariables(name, kind), Option.map(from(variableOf(name)))))
  )
}

export const optional = <A>(name: Name, kind: Kind<A>): Flag.Flag<Option.Option<A>> =>
  Flag.map(found(name, kind), (found) => Option.map(found, ({ value }) => value))

export const withDefault = <A>(name: Name, otherwise: string, kind: Kind<A>): Flag.Flag<A> =>
  Flag.map(
    optional(name, { ...kind, description: `${kind.description} [default: ${otherwise}]` }),
    Option.getOrElse(() => Option.getOrThrow(kind.parse(otherwise)))
  )

/** A flag that can be repeated, otherwise its variable, with commas between the values. */
export const repeated = <A>(name: Name, kind: Kind<A>): Flag.Flag<ReadonlyArray<A>> =>
  Flags.of(name, kind).pipe(
    Flag.atLeast(0),
    Flag.mapEffect((values) =>
      values.length > 0
        ? Effect.succeed(values)
        : Effect.flatMap(value(name), (text) =>
            Effect.forEach(
              Option.toArray(text).flatMap((text) => text.split(",")),
              (value) => fromText(name, kind, value.trim())
            )
          )
    )
  )

export const toggle = (name: Name, description: string, otherwise: boolean): Flag.Flag<boolean> => {
  const kind = {
    parse: (text: string) => (text === "true" || text === "false" ? Option.some(text === "true") : Option.none()),
    expected: "true or false"
  }
  return Flag.Boolean(name).pipe(
    Flag.withDescription(`${description} [default: ${otherwise}]`),
    Flag.withDefault(Effect.map(fromVariables(name, kind), (found) => Option.getOrElse(found, () => otherwise)))
  )
}

/** A URL that can contain a password. White space around it, as in a file, is ignored. */
export const url = (expected: string, description: string): Kind<string> => {
  const text = Flags.text(expected, "where", description)
  return { ...text, parse: (given) => text.parse(given.trim()) }
}

const holdsPassword = (url: string): boolean => {
  const start = url.indexOf("://")
  const credentials = url.slice(start + 3, Math.max(start + 3, url.lastIndexOf("@")))
  return start > 0 && (credentials.includes(":") || /[?&]password=./.test(url))
}

/** The values of a flag, even if the arguments are otherwise invalid. */
export const given = (args: ReadonlyArray<string>, flag: string): ReadonlyArray<string> =>
  args.flatMap((arg, i) => {
    if (arg === `--${flag}`) return args[i + 1] ?? []
    return arg.startsWith(`--${flag}=`) ? arg.slice(flag.length + 3) : []
  })

export const exposed = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  given(args, secret).some(holdsPassword)
    ? [
        `--${secret} contains a password, which process lists show: set ${variableOf(secret)}, or set ${variableOf(secret)}_FILE to the path of a file that contains it`
      ]
    : []
