import { Effect, Option, Schema, SchemaAST } from "effect"
import { Argument, type CliError, Command } from "effect/cli"
import { Operation } from "@cloud-management/client"
import * as Confirm from "../terminal/confirm.ts"
import * as Connection from "../connection/Connection.ts"
import * as Failure from "../output/Failure.ts"
import * as Flags from "../input/flag.ts"
import * as Format from "../output/Format.ts"
import * as Id from "../input/id.ts"
import * as Input from "./input.ts"
import * as Result from "./result.ts"
import * as Rows from "./rows.ts"

export type Registry = Readonly<Record<string, Readonly<Record<string, Operation.Any>>>>

export interface Face<R> {
  readonly program: string
  /** The words of a name in them. */
  readonly words: (name: string) => ReadonlyArray<string>
  readonly connect: Effect.Effect<Connection.Connection, Failure.Failure | CliError.CliError, R>
  /** Of this command's own API: finds the organization, which may be left out. */
  readonly owner?: (connection: Connection.Connection) => Effect.Effect<string, Failure.Failure, R>
}
type Names = Face<unknown>

const group = ({ words }: Names, operation: Operation.Any) => words(operation.group).join("-")
const kindOf = (face: Names, operation: Operation.Any) => group(face, operation).replace(/s$/, "")
const label = ({ words }: Names, variable: string) => words(variable).join("_").toUpperCase()

const variables = ({ params }: Operation.Any) => Input.fields(params?.ast)

const hasOwner = ({ owner }: Names, operation: Operation.Any) =>
  owner !== undefined && variables(operation)[0]?.name === "organizationId"

/** The arguments of an operation's command. Without the first, each text is that of the next. */
export const args = (
  face: Names,
  operation: Operation.Any
): Readonly<Record<string, Argument.Argument<Option.Option<string>>>> =>
  Object.fromEntries(
    variables(operation).map(({ name }, i, { length }) => {
      const words = Rows.words(name)
      const what =
        words.length > 1 && words.at(-1) === "id" ? `ID of the ${words.slice(0, -1).join(" ")}` : Rows.sentence(words)
      const isOwner = i === 0 && hasOwner(face, operation)
      const several = i === length - 1 && operation.method === "DELETE" ? "; - reads those on stdin" : ""
      return [
        name,
        Argument.String(label(face, name)).pipe(
          i === length - 1 && hasOwner(face, operation) ? Argument.optional : Argument.map(Option.some),
          Argument.withDescription(`${what}${isOwner ? "; may be left out: it is that of the key" : several}`)
        )
      ]
    })
  )

const line = (face: Names, operation: Operation.Any) =>
  [
    face.program,
    group(face, operation),
    face.words(operation.name).join("-"),
    ...variables(operation).map(({ name }) => label(face, name))
  ].join(" ")

/** The paths that arguments lead to: one, or one for each ID on stdin. */
export const paths = Effect.fnUntraced(function* <R>(
  face: Face<R>,
  operation: Operation.Any,
  connection: Connection.Connection,
  given: Readonly<Record<string, Option.Option<string>>>
) {
  const all = variables(operation)
  const texts = all.flatMap(({ name }) => Option.toArray(given[name] ?? Option.none()))
  if (texts.length < all.length && face.owner !== undefined) texts.unshift(yield* face.owner(connection))
  const last = texts.at(-1) ?? ""
  const lasts =
    last === "-" && operation.method === "DELETE" ? yield* Id.lines(label(face, all.at(-1)?.name ?? "")) : [last]
  const expected = face.owner === undefined ? "another value" : undefined
  const decoded = Effect.fnUntraced(function* (last: string) {
    const params: Record<string, unknown> = {}
    for (const [i, { name, type }] of all.entries()) {
      const text = texts.with(-1, last)[i] ?? ""
      const value = SchemaAST.isArrays(SchemaAST.toEncoded(type)) ? text.split(",") : text
      params[name] = yield* Id.decode(Schema.make<Schema.Codec<unknown>>(type), label(face, name), value, expected)
    }
    return params
  })
  return yield* Effect.mapError(Effect.forEach(lasts, decoded), ({ message }) =>
    Failure.usage(message, `See ${line(face, operation)} --help.`)
  )
})

const isRead = ({ method }: Operation.Any) => method === "GET" || method === "HEAD"

export const described =
  (face: Names, operation: Operation.Any, examples: Readonly<Record<string, string>>) =>
  <Name extends string, Input, ContextInput, E, R>(self: Command.Command<Name, Input, ContextInput, E, R>) => {
    const command = line(face, operation)
    const { annotations, deprecated = false, description, summary = Operation.nameOf(operation) } = operation
    const short = `${summary}${annotations?.["stability"] === "beta" ? " (beta)" : ""}${deprecated ? " (deprecated)" : ""}`
    const warning = `the operation ${Operation.nameOf(operation)} is deprecated: stop using it`
    return self.pipe(
      Command.provideEffectDiscard(deprecated ? Format.warn("Deprecated", warning) : Effect.void),
      Command.withShortDescription(short),
      Command.withDescription(description === undefined ? short : `${short}\n\n${description}`),
      Command.withExamples([
        { command },
        ...Object.entries(examples).map(([flags, description]) => ({ command: `${command} ${flags}`, description }))
      ])
    )
  }

/** The command of an operation. It asks before it changes something, and takes content and parameters as `request` does. */
const derived = <R>(face: Face<R>, operation: Operation.Any) => {
  const { method, payload } = operation
  const yes = payload && payload.optional !== true ? "--input content.json --yes" : "--yes"
  const example = isRead(operation)
    ? { "--format json": "For a program" }
    : { [yes]: "In a script, without confirmation" }
  const isForeign = face.owner === undefined
  const config = {
    path: args(face, operation),
    parts: Input.flags(operation, isForeign),
    paginate:
      operation.pagination === undefined ? [] : [Flags.on("paginate", "Read all pages, and show their items together")],
    yes: isRead(operation) ? [] : [Confirm.yes]
  }
  const run = Effect.fnUntraced(function* ({
    paginate: [paginate = false],
    parts,
    path,
    yes: [isSure = true]
  }: Command.Command.Config.Infer<typeof config>) {
    const { headers, input } = yield* Input.parts(operation, parts, isSure)
    const connection = yield* face.connect
    yield* Id.each(
      yield* paths(face, operation, connection, path),
      Effect.fnUntraced(function* (params) {
        const subject = Rows.brief(Object.values(params).at(-1))
        if (!isSure) {
          yield* method === "DELETE" && !isForeign
            ? Confirm.deletion(`the ${kindOf(face, operation)} ${subject}`)
            : Confirm.change(`${method} ${Connection.pathOf(operation, params)}`)
        }
        yield* Result.show(connection, operation, {
          input: { ...params, ...input },
          headers,
          paginate,
          subject,
          ...(!isForeign && { kind: kindOf(face, operation) })
        })
      })
    )
  }, Effect.scoped)
  return Command.make(face.words(operation.name).join("-"), config, run).pipe(described(face, operation, example))
}

export const ofGroup = <R, Own extends Command.Command.Any = never>(
  face: Face<R>,
  name: string,
  operations: Registry[string],
  own: ReadonlyMap<string, Own> = new Map()
) => {
  const all = Object.values(operations)
  return Command.make(face.words(name).join("-")).pipe(
    Command.withDescription(Rows.sentence(Rows.words(name))),
    Command.withExamples(all.slice(0, 1).map((operation) => ({ command: line(face, operation) }))),
    Command.withSubcommands(all.map((operation) => own.get(Operation.nameOf(operation)) ?? derived(face, operation)))
  )
}
