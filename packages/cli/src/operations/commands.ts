import { Effect, Option, Predicate, Record, Result, Schema, SchemaAST } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Operation } from "@cloud-management/client"
import { getReversePrivateEndpoint, listOrganizations, operations } from "@cloud-management/core/Operations"
import { ReversePrivateEndpoint } from "@cloud-management/core/ReversePrivateEndpoint"
import * as Confirm from "../terminal/confirm.ts"
import * as Connection from "../connection/Connection.ts"
import * as Duration from "../input/duration.ts"
import * as Failure from "../output/Failure.ts"
import * as Flags from "../input/flag.ts"
import * as Format from "../output/Format.ts"
import * as Id from "../input/id.ts"
import * as Known from "../input/known.ts"
import * as Content from "../request/content.ts"
import * as Table from "../output/table.ts"
import * as Rows from "./rows.ts"

const short: Readonly<Record<string, string>> = { ...Rows.groups, reversePrivateEndpointId: "endpointId" }
const words = (name: string) => Rows.words(short[name] ?? name)
const group = (operation: Operation.Any) => words(operation.group).join("-")
const kindOf = (operation: Operation.Any) => group(operation).replace(/s$/, "")
const label = (variable: string) => words(variable).join("_").toUpperCase()

const fields = (ast: SchemaAST.AST | undefined) =>
  ast !== undefined && SchemaAST.isObjects(ast)
    ? ast.propertySignatures.map(({ name, type }) => ({ name: String(name), type }))
    : []

const variables = ({ params }: Operation.Any) => fields(params?.ast)

const toValues = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Array(Schema.String)))

/** Parameters as an operation declares them: a list, or else the last value. */
const parameters = (schema: Schema.Codec<object, unknown>, given: unknown) => {
  const lists = fields(SchemaAST.toEncoded(schema.ast)).filter(({ type }) => SchemaAST.isArrays(type))
  const names = new Set(lists.map(({ name }) => name))
  return Record.map(toValues(given), (values, name) => (names.has(name) ? values : (values.at(-1) ?? "")))
}

const hasOwner = (operation: Operation.Any) => variables(operation)[0]?.name === "organizationId"

/** The arguments of an operation's command. Without the first, each text is that of the next. */
const args = (operation: Operation.Any): Readonly<Record<string, Argument.Argument<unknown>>> =>
  Object.fromEntries(
    variables(operation).map(({ name }, i, { length }) => {
      const isOwner = i === 0 && hasOwner(operation)
      const what = `${Rows.sentence(Rows.words(name).slice(-1))} of the ${Rows.words(name).slice(0, -1).join(" ")}`
      const several = i === length - 1 && operation.method === "DELETE" ? "; - reads those on stdin" : ""
      return [
        name,
        Argument.String(label(name)).pipe(
          i === length - 1 && hasOwner(operation) ? Argument.optional : Argument.map(Option.some),
          Argument.withDescription(`${what}${isOwner ? "; may be left out: it is that of the key" : several}`)
        )
      ]
    })
  )

const ownOrganization = Effect.fnUntraced(function* (connection: Connection.Connection) {
  const { value } = yield* Connection.exchange(connection, listOrganizations, {})
  const [{ id }, ...others] = value.result
  return others.length === 0 ? id : yield* Failure.usage("the key has several organizations", "Pass ORGANIZATION_ID.")
})

const line = (operation: Operation.Any) =>
  [
    "cloud-management",
    group(operation),
    words(operation.name).join("-"),
    ...variables(operation).map(({ name }) => label(name))
  ].join(" ")

/** The paths that arguments lead to: one, or one for each ID on stdin. */
const paths = Effect.fnUntraced(function* (
  operation: Operation.Any,
  connection: Connection.Connection,
  given: Readonly<Record<string, unknown>>
) {
  const all = variables(operation)
  const texts = all.flatMap(({ name }) => (Option.isOption(given[name]) ? Option.toArray(given[name]).map(String) : []))
  if (texts.length < all.length) texts.unshift(yield* ownOrganization(connection))
  const last = texts.at(-1) ?? ""
  const lasts = last === "-" && operation.method === "DELETE" ? yield* Id.lines(label(all.at(-1)?.name ?? "")) : [last]
  const decoded = Effect.fnUntraced(function* (last: string) {
    const params: Record<string, unknown> = {}
    for (const [i, { name, type }] of all.entries()) {
      const schema = Schema.make<Schema.Codec<unknown>>(type)
      params[name] = yield* Id.decode(schema, label(name), texts.with(-1, last)[i] ?? "")
    }
    return params
  })
  return yield* Effect.mapError(Effect.forEach(lasts, decoded), ({ message }) =>
    Failure.usage(message, `See ${line(operation)} --help.`)
  )
})

const isRead = ({ method }: Operation.Any) => method === "GET" || method === "HEAD"

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

/** An operation whose result is as the service sent it, with the fields that this version does not know. */
const asSent = (operation: Operation.Any): Operation.Any => {
  const { success } = operation
  if (success._tag !== "Json" && success._tag !== "Envelope") return operation
  const decode = Schema.decodeUnknownResult(success.schema)
  const isResult = Schema.makeFilter((value: unknown) =>
    Result.match(decode(value), { onSuccess: () => undefined, onFailure: ({ issue }) => issue })
  )
  const schema = Schema.Unknown.check(isResult)
  // oxlint-disable-next-line typescript/consistent-type-assertions -- a result is checked as before, and only shown
  return { ...operation, success: { ...success, schema, form: schema } as typeof success }
}

const show = Effect.fnUntraced(function* (
  connection: Connection.Connection,
  operation: Operation.Any,
  input: object,
  subject: string
) {
  const sent = asSent(operation)
  const { requestId, value } = yield* Connection.exchange(connection, sent, input)
  const encoded = yield* Effect.orDie(Schema.encodeUnknownEffect(sent.success.schema)(value))
  const id: Table.Row = ["Request ID", requestId]
  const deleted: ReadonlyArray<Table.Row> = operation.method === "DELETE" ? [["Deleted", subject]] : []
  const isShown = Predicate.hasProperty(encoded, "result")
  const result = isShown ? encoded.result : encoded
  const records = isShown ? [...[result].flat().map(Rows.rows), [id]] : [[...deleted, id]]
  const lines = (width: number) =>
    records.flatMap((rows, i) => [...(i === 0 ? [] : [""]), ...Table.record(rows, width)])
  yield* Format.print(result, lines, kindOf(operation))
})

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
  const run = Effect.fnUntraced(function* ({ data, query: values, yes, ...given }: Readonly<Record<string, unknown>>) {
    const isSure = yes === true || isRead(operation)
    const text = Option.isOption(data) ? yield* Content.given(Option.map(data, String), isSure) : undefined
    const more = {
      ...(payload !== undefined &&
        text !== undefined && { payload: yield* part("data", payload.schema, JSON.parse(text)) }),
      ...(query !== undefined && { query: yield* part("query", query.schema, parameters(query.schema, values)) })
    }
    const connection = yield* Connection.connect
    yield* Id.each(
      yield* paths(operation, connection, given),
      Effect.fnUntraced(function* (params) {
        const subject = Rows.brief(Object.values(params).at(-1))
        if (!isSure) {
          yield* method === "DELETE"
            ? Confirm.deletion(`the ${kindOf(operation)} ${subject}`)
            : Confirm.change(`${method} ${Connection.pathOf(operation, params)}`)
        }
        yield* show(connection, operation, { ...params, ...more }, subject)
      })
    )
  }, Effect.scoped)
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
    wait: Flags.on("wait", "Wait for a status, and report each change on stderr"),
    status: Flag.optional(
      Flags.of("status", {
        ...Flags.text("a status, such as Ready"),
        metavar: "status",
        description: "Status to wait for [default: Ready]"
      })
    ),
    anyStatus: Known.any,
    every: Duration.flag("every", "Time between two reads [default: 5s]")
  },
  Effect.fnUntraced(function* ({ anyStatus, every, status, wait, ...given }) {
    if (!wait && (Option.isSome(every) || Option.isSome(status) || anyStatus)) {
      return yield* Failure.usage("--status, --any-status and --every need --wait: pass it as well")
    }
    const connection = yield* Connection.connect
    const [params = {}] = yield* paths(getReversePrivateEndpoint, connection, given)
    if (!wait) return yield* show(connection, getReversePrivateEndpoint, params, "")
    const { until } = yield* Effect.promise(() => import("./waiting.ts"))
    const endpoint = yield* until(
      yield* Effect.orDie(Schema.decodeUnknownEffect(getReversePrivateEndpoint.params)(params)),
      Option.isSome(status) ? yield* Known.resolve("status", status.value, anyStatus) : undefined,
      Record.getSomes({ every, deadline: yield* Connection.Timeout })
    )
    const encoded = yield* Effect.orDie(Schema.encodeEffect(ReversePrivateEndpoint)(endpoint))
    yield* Format.printRecord(encoded, Rows.rows(encoded))
  }, Effect.scoped)
).pipe(
  described(getReversePrivateEndpoint, {
    "--wait --timeout 5m": "Wait up to 5 minutes until it is ready"
  })
)

const own = new Map([[Operation.nameOf(getReversePrivateEndpoint), get]])

const command = (name: string, group: Readonly<Record<string, Operation.Any>>) => {
  const all = Object.values(group)
  return Command.make(words(name).join("-")).pipe(
    Command.withDescription(Rows.sentence(Rows.words(name))),
    Command.withExamples(all.slice(0, 1).map((operation) => ({ command: line(operation) }))),
    Command.withSubcommands(all.map((operation) => own.get(Operation.nameOf(operation)) ?? derived(operation))),
    Command.withGlobalFlags(Connection.settings)
  )
}

export const of = (registry: Readonly<Record<string, Readonly<Record<string, Operation.Any>>>>) =>
  Object.entries(registry).map(([name, group]) => command(name, group))

export const ofGroup = (name: keyof typeof operations) => command(name, operations[name])
