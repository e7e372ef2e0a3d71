import { Effect, Option, Record, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Operation } from "@cloud-management/client"
import { getReversePrivateEndpoint, listOrganizations, operations } from "@cloud-management/core/Operations"
import { ReversePrivateEndpoint } from "@cloud-management/core/ReversePrivateEndpoint"
import * as Commands from "../commands.ts"
import * as Connection from "../connection/Connection.ts"
import * as Duration from "../input/duration.ts"
import * as Failure from "../output/Failure.ts"
import * as Flags from "../input/flag.ts"
import * as Format from "../output/Format.ts"
import * as Known from "../input/known.ts"
import * as Derived from "./derived.ts"
import * as Result from "./result.ts"
import * as Rows from "./rows.ts"

const short: Readonly<Record<string, string>> = { ...Rows.groups, reversePrivateEndpointId: "endpointId" }

const face = {
  program: "cloud-management",
  words: (name: string) => Rows.words(short[name] ?? name),
  connect: Connection.connect,
  owner: Effect.fnUntraced(function* (connection: Connection.Connection) {
    const { value } = yield* Connection.exchange(connection, listOrganizations, {})
    const [{ id }, ...others] = value.result
    return others.length === 0 ? id : yield* Failure.usage("the key has several organizations", "Pass ORGANIZATION_ID.")
  })
}

/** `cloud-management endpoints get`, which can also wait. */
const flags = {
  path: Derived.args(face, getReversePrivateEndpoint),
  wait: Flags.on("wait", "Wait for a status, and report each change on stderr"),
  status: Flag.optional(
    Flags.of("status", Flags.text("a status, such as Ready", "status", "Status to wait for [default: Ready]"))
  ),
  anyStatus: Known.any,
  every: Duration.flag("every", "Time between two reads [default: 5s]")
}

const get = Commands.make("get", flags, function* ({ anyStatus, every, path, status, wait }) {
  if (!wait && (Option.isSome(every) || Option.isSome(status) || anyStatus)) {
    return yield* Failure.usage("--status, --any-status and --every need --wait: pass it as well")
  }
  const connection = yield* Connection.connect
  const [input = {}] = yield* Derived.paths(face, getReversePrivateEndpoint, connection, path)
  if (!wait) return yield* Result.show(connection, getReversePrivateEndpoint, { input, subject: "", kind: "endpoint" })
  const { until } = yield* Effect.promise(() => import("./waiting.ts"))
  const endpoint = yield* until(
    yield* Effect.orDie(Schema.decodeUnknownEffect(getReversePrivateEndpoint.params)(input)),
    Option.isSome(status) ? yield* Known.resolve("status", status.value, anyStatus) : undefined,
    Record.getSomes({ every, deadline: yield* Connection.Timeout })
  )
  const encoded = yield* Effect.orDie(Schema.encodeEffect(ReversePrivateEndpoint)(endpoint))
  yield* Format.printRecord(encoded, Rows.rows(encoded))
}).pipe(
  Derived.described(face, getReversePrivateEndpoint, {
    "--wait --timeout 5m": "Wait up to 5 minutes until it is ready"
  })
)

const own = new Map([[Operation.nameOf(getReversePrivateEndpoint), get]])

const registry: Derived.Registry = operations

export const ofGroup = (name: string, group: Derived.Registry[string] = registry[name] ?? {}) =>
  Derived.ofGroup(face, name, group, own).pipe(Command.withGlobalFlags(Connection.settings))
