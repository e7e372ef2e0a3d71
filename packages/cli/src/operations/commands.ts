import { Effect, Option, Predicate, Record, Schema, SchemaAST } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Operation } from "@cloud-management/client"
import { getReversePrivateEndpoint, operations } from "@cloud-management/core/Operations"
import { ReversePrivateEndpoint } from "@cloud-management/core/ReversePrivateEndpoint"
import * as Confirm from "../terminal/confirm.ts"
import * as Connection from "../connection/Connection.ts"
import * as Duration from "../input/duration.ts"
import * as Failure from "../output/Failure.ts"
import * as Format from "../output/Format.ts"
import * as Known from "../input/known.ts"
import * as Content from "../request/content.ts"
import * as Table from "../output/table.ts"
import * as Rows from "./rows.ts"

/** Names that are shorter at a terminal. */
const short: Readonly<Record<string, string>> = {
  apiKeys: "keys",
  reversePrivateEndpoints: "endpoints",
  reversePrivateEndpointId: "endpointId"
}
const words = (name: string) => Rows.words(short[name] ?? name)
const group = (operation: Operation.Any) => words(operation.group).join("-")
const label = (variable: string) => words(variable).join("_").toUpperCase()

/** The fields of a schema, each with its type. */
const fields = (ast: SchemaAST.AST | undefined) =>
  ast !== undefined && SchemaAST.isObjects(ast)
    ? ast.propertySignatures.map(({ name, type }) => ({ name: String(name), type }))
    : []

/** The variables of an operation's path. */
const variables = ({ params }: Operation.Any) => fields(params?.ast)

const toValues = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Array(Schema.String)))

/** Parameters as an operation declares them: a list, or else the last value. */
const parameters = (schema: Schema.Codec<object, unknown>, given: unknown) => {
  const lists = fields(SchemaAST.toEncoded(schema.ast)).filter(({ type }) => SchemaAST.isArrays(type))
  const names = new Set(lists.map(({ name }) => name))
  return Record.map(toValues(given), (values, name) => (names.has(name) ? values : (values.at(-1) ?? "")))
}

/** The arguments of an operation's command. */
const args = (operation: Operation.Any): Readonly<Record<string, Argument.Argument<unknown>>> =>
  Object.fromEntries(
    variables(operation).map(({ name, type }) => [
      name,
      Argument.String(label(name)).pipe(
        Argument.filterMap(Schema.decodeUnknownOption(Schema.make<Schema.Codec<unknown>>(type)), () =>
          String(type.checks?.[0]?.annotations?.["expected"] ?? "a valid value")
        ),
        Argument.withDescription(
          `${Rows.sentence(Rows.words(name).slice(-1))} of the ${Rows.words(name).slice(0, -1).join(" ")}`
        )
      )
    ])
  )

const isRead = ({ method }: Operation.Any) => method === "GET" || method === "HEAD"

/** How an operation is called at a terminal. */
const line = (operation: Operation.Any) =>
  [
    "cloud-management",
    group(operation),
    words(operation.name).join("-"),
    ...variables(operation).map(({ name }) => label(name))
  ].join(" ")

/** A command with what its operation says of itself, and examples of its own, each with what it shows. */
const described =
  (operation: Operation.Any, examples: Readonly<Record<string, string>>) =>
  <Name extends string, Input, ContextInput, E, R>(self: Command.Command<Name, Input, ContextInput, E, R>) => {
    const command = line(operation)
    const { annotations, deprecated = false, description, summary = Operation.nameOf(operation) } = operation
    const short = `${summary}${annotations?.["stability"] === "beta" ? " (beta)" : ""}${deprecated ? " (deprecated)" : ""}`
    const warn = Effect.flatMap(Format.Format, (format) =>
      Format.warn(format, "Deprecated", `the operation ${Operation.nameOf(operation)} is deprecated: stop using it`)
    )
    return self.pipe(
      Command.provideEffectDiscard(deprecated ? warn : Effect.void),
      Command.withShortDescription(short),
      Command.withDescription(description === undefined ? short : `${short}\n\n${description}`),
      Command.withExamples([
        { command },
        ...Object.entries(examples).map(([flags, description]) => ({ command: `${command} ${flags}`, description }))
      ])
    )
  }

/**
 * Performs an operation on the service that flags and environment select, and prints its result: as JSON, or as rows,
 * with the request's ID below, separate from the result.
 */
const show = Effect.fnUntraced(function* (operation: Operation.Any, input: object, subject: string) {
  const { requestId, value } = yield* Connection.exchange(yield* Connection.connect, operation, input)
  const encoded = yield* Effect.orDie(Schema.encodeUnknownEffect(operation.success.schema)(value))
  const id: Table.Row = ["Request ID", requestId]
  const result = Predicate.hasProperty(encoded, "result") ? encoded.result : encoded
  const records = Predicate.hasProperty(encoded, "result")
    ? [...(Array.isArray(result) ? result : [result]).map(Rows.rows), [id]]
    : [[...(operation.method === "DELETE" ? [["Deleted", subject] as const] : []), id]]
  yield* Format.print(result, (width) =>
    records.flatMap((rows, i) => [...(i === 0 ? [] : [""]), ...Table.record(rows, width)])
  )
}, Effect.scoped)

/** A part of the input from a flag. What does not fit is not quoted, because it can contain a secret. */
const part = (flag: string, schema: Schema.Codec<unknown, unknown>, value: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(schema)(value), () =>
    Failure.usage(`--${flag}: it does not fit the operation`, "Compare it with the service's /openapi.json.")
  )

/** The command of an operation. It asks before it changes something, and takes content and parameters as `request` does. */
const derived = (operation: Operation.Any) => {
  const { method, payload, query } = operation
  const config: Record<string, Argument.Argument<unknown> | Flag.Flag<unknown>> = {
    ...args(operation),
    ...(payload !== undefined && { data: Content.data }),
    ...(query !== undefined && { query: Content.query }),
    ...(!isRead(operation) && { yes: Confirm.yes })
  }
  const run = Effect.fnUntraced(function* ({ data, query: values, yes, ...params }: Readonly<Record<string, unknown>>) {
    const isSure = yes === true || isRead(operation)
    const text = Option.isOption(data) ? yield* Content.given(Option.map(data, String), isSure) : undefined
    const input = {
      ...params,
      ...(payload !== undefined &&
        text !== undefined && { payload: yield* part("data", payload.schema, JSON.parse(text)) }),
      ...(query !== undefined && { query: yield* part("query", query.schema, parameters(query.schema, values)) })
    }
    const subject = Rows.brief(Object.values(params).at(-1))
    if (!isSure) {
      yield* method === "DELETE"
        ? Confirm.deletion(`the ${group(operation).replace(/s$/, "")} ${subject}`)
        : Confirm.change(`${method} ${Connection.pathOf(operation, params)}`)
    }
    yield* show(operation, input, subject)
  })
  return Command.make(words(operation.name).join("-"), config, run).pipe(
    described(
      operation,
      isRead(operation) ? { "--format json": "For a program" } : { "--yes": "In a script, without confirmation" }
    )
  )
}

/** `cloud-management endpoints get`, which can also wait. */
const get = Command.make(
  "get",
  {
    ...args(getReversePrivateEndpoint),
    wait: Flag.Boolean("wait").pipe(
      Flag.withoutNegation,
      Flag.withDefault(false),
      Flag.withDescription("Wait for a status, and report each change on stderr")
    ),
    status: Flag.String("status").pipe(
      Flag.filter(
        (status) => status !== "",
        () => "a status, such as Ready"
      ),
      Flag.optional,
      Flag.withMetavar("status"),
      Flag.withDescription("Status to wait for [default: Ready]")
    ),
    anyStatus: Known.any,
    every: Duration.flag("every", "Time between two reads [default: 5s]")
  },
  Effect.fnUntraced(function* ({ anyStatus, every, status, wait, ...params }) {
    if (!wait) {
      if (Option.isNone(every) && Option.isNone(status) && !anyStatus) {
        return yield* show(getReversePrivateEndpoint, params, "")
      }
      return yield* Failure.usage("--status, --any-status and --every need --wait: pass it as well")
    }
    const timeout = yield* Connection.Timeout
    const { until } = yield* Effect.promise(() => import("./waiting.ts"))
    const endpoint = yield* until(
      yield* Effect.orDie(Schema.decodeUnknownEffect(getReversePrivateEndpoint.params)(params)),
      {
        ...(Option.isSome(status) && { status: yield* Known.resolve("status", status.value, anyStatus) }),
        ...(Option.isSome(every) && { every: every.value }),
        ...(Option.isSome(timeout) && { deadline: timeout.value })
      }
    )
    const encoded = yield* Effect.orDie(Schema.encodeEffect(ReversePrivateEndpoint)(endpoint))
    yield* Format.printRecord(encoded, Rows.rows(encoded))
  })
).pipe(
  described(getReversePrivateEndpoint, {
    "--wait --timeout 5m": "Wait up to 5 minutes until it is ready"
  })
)

/** The commands that are not only what their operation says. */
const own = new Map([[Operation.nameOf(getReversePrivateEndpoint), get]])

/** A command for each group of a registry. */
export const of = (registry: Readonly<Record<string, Readonly<Record<string, Operation.Any>>>>) =>
  Object.entries(registry).map(([name, group]) => {
    const all = Object.values(group)
    return Command.make(words(name).join("-")).pipe(
      Command.withDescription(Rows.sentence(Rows.words(name))),
      Command.withExamples(all.slice(0, 1).map((operation) => ({ command: line(operation) }))),
      Command.withSubcommands(all.map((operation) => own.get(Operation.nameOf(operation)) ?? derived(operation))),
      Command.withGlobalFlags(Connection.settings)
    )
  })

/** The commands of the API's operations. */
export const commands = of(operations)
