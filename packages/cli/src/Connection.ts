import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import type * as Client from "@cloud-management/core/Client"
import type * as Operation from "@cloud-management/core/Operation"
import type { InvalidTransportOption } from "@cloud-management/node/TransportOptions"
import { variable } from "./Environment.ts"
import * as Failure from "./Failure.ts"
import * as Format from "./Format.ts"
import * as Table from "./table.ts"

const setting = <const Name extends string>(name: Name, variable: string, description: string) =>
  GlobalFlag.Setting(name)({
    flag: Flag.String(name).pipe(Flag.optional, Flag.withDescription(`${description} [env ${variable}]`))
  })

const BaseUrl = setting("base-url", "CLOUD_MANAGEMENT_BASE_URL", "Where the service is")
const KeyId = setting("key-id", "CLOUD_MANAGEMENT_KEY_ID", "ID of the API key")
const KeySecretFile = GlobalFlag.Setting("key-secret-file")({
  flag: Flag.String("key-secret-file").pipe(
    Flag.optional,
    Flag.withMetavar("path"),
    Flag.withDescription("File with the secret; - is stdin [or env CLOUD_MANAGEMENT_KEY_SECRET]")
  )
})

/** The flags of every command that talks to a service. */
export const settings = [BaseUrl, KeyId, KeySecretFile] as const

const required = Effect.fnUntraced(function* (flag: Option.Option<string>, name: string, what: string, how: string) {
  const value = Option.isSome(flag) ? flag : yield* variable(name)
  if (Option.isSome(value)) return value.value
  return yield* Failure.usage(`${what} is missing: set ${name}, or pass ${how}`)
})

/** The base URL that was asked for, if any. */
export const baseUrl = Effect.filterOrElse(BaseUrl, Option.isSome, () => variable("CLOUD_MANAGEMENT_BASE_URL"))

/** Never quotes the path, which is the secret itself when someone mistakes the flag. */
const secretOf = Effect.fnUntraced(
  function* (path: string) {
    const text =
      path === "-"
        ? yield* Stdio.Stdio.use(({ stdin }) => Stream.mkString(Stream.decodeText(stdin)))
        : yield* FileSystem.FileSystem.use((files) => files.readFileString(path))
    return text.replace(/\r?\n$/, "")
  },
  Effect.mapError(({ reason }: PlatformError) =>
    Failure.usage(
      `--key-secret-file: the file cannot be read (${reason._tag})`,
      "Pass the path of a file that holds nothing but the secret, or - to read it from stdin."
    )
  )
)

/** Where the service is and who asks, from flags and environment. */
export const resolve = Effect.gen(function* () {
  const url = yield* required(yield* baseUrl, "CLOUD_MANAGEMENT_BASE_URL", "the base URL", "--base-url URL")
  const keyId = yield* required(yield* KeyId, "CLOUD_MANAGEMENT_KEY_ID", "the ID of the API key", "--key-id ID")
  const file = yield* KeySecretFile
  const secret = Option.isSome(file)
    ? yield* secretOf(file.value)
    : yield* required(
        Option.none(),
        "CLOUD_MANAGEMENT_KEY_SECRET",
        "the secret of the API key",
        "--key-secret-file PATH (- for stdin)"
      )
  return { baseUrl: url, credentials: { keyId, keySecret: Redacted.make(secret, { label: "keySecret" }) } }
})

const flags: { readonly [Option in Client.InvalidOption["option"]]?: string } = {
  baseUrl: "--base-url (CLOUD_MANAGEMENT_BASE_URL)",
  keyId: "--key-id (CLOUD_MANAGEMENT_KEY_ID)",
  keySecret: "--key-secret-file (CLOUD_MANAGEMENT_KEY_SECRET)"
}

/** An option that the client or its transport refuses, by the name it has here. */
export const refused = (error: Client.InvalidOption | InvalidTransportOption): Failure.Failure =>
  Failure.usage(
    error._tag === "InvalidOption"
      ? error.message.replace(error.option, flags[error.option] ?? error.option)
      : error.message
  )

/** The client of the service that flags and environment name. Client and sockets load only now. */
export const connect = Effect.gen(function* () {
  const options = yield* resolve
  const { connect } = yield* Effect.promise(() => import("./client.ts"))
  return { client: yield* Effect.mapError(connect(options), refused), baseUrl: options.baseUrl }
})

/**
 * Performs an operation against the service that flags and environment name, and prints its result: as JSON, or as rows
 * with the request's ID below, apart from a result.
 */
export const show = Effect.fnUntraced(function* <O extends Operation.Any>(
  operation: O,
  input: Operation.Input<O>,
  rows: (value: Operation.Success<O>) => ReadonlyArray<ReadonlyArray<Table.Row>>
) {
  const { baseUrl, client } = yield* connect
  const { requestId, value } = yield* Effect.mapError(client.exchange(operation, input), (error) =>
    Failure.fromCloudError(error, baseUrl)
  )
  yield* Format.print({
    json: Effect.map(Effect.orDie(Schema.encodeUnknownEffect(operation.success.schema)(value)), (encoded) =>
      Predicate.hasProperty(encoded, "result") ? encoded.result : encoded
    ),
    table: () => {
      const id: Table.Row = ["Request ID", requestId]
      const records = Predicate.hasProperty(value, "result") ? [...rows(value), [id]] : [[...rows(value).flat(), id]]
      return records.map((rows) => Table.record(rows).join("\n")).join("\n\n")
    }
  })
}, Effect.scoped)
