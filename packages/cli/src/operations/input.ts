import { Effect, Option, Predicate, Record, Schema, SchemaAST, Stream } from "effect"
import { type Command, Flag } from "effect/cli"
import type { Body, Operation } from "@cloud-management/client"
import * as Failure from "../output/Failure.ts"
import * as Content from "../request/content.ts"

export const fields = (ast: SchemaAST.AST | undefined) =>
  ast !== undefined && SchemaAST.isObjects(ast)
    ? ast.propertySignatures.map(({ name, type }) => ({ name: String(name), type }))
    : []

/** The same on the wire. */
const encoded = (ast: SchemaAST.AST | undefined) => fields(ast && SchemaAST.toEncoded(ast))

/** A part of the input from a flag. What does not fit is not quoted, because it can contain a secret. */
const part = (flag: string, schema: Schema.Codec<unknown, unknown>, value: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(schema)(value, { onExcessProperty: "error" }), ({ message }) => {
    const text = message.replaceAll("\n  at", " at").replaceAll("\n", "; ")
    const [, object, field] = /no excess property at \["([^".[]+)[.[]([^"\]]+)/.exec(text) ?? []
    const advice = `An object is JSON: ${flag === "fields" ? "-F" : flag} '${object}={"${field}":…}'`
    return Failure.usage(`${flag}: ${text}`, object === undefined ? undefined : advice)
  })

/** A value as a parameter or a field of a form has it: texts, in lists and objects where these are declared. */
const textual = (ast: SchemaAST.AST | undefined, value: unknown): unknown => {
  if (typeof value === "string" || value instanceof Blob) return value
  if (Array.isArray(value) && ast !== undefined && SchemaAST.isArrays(ast))
    return value.map((item) => textual(ast.rest[0], item))
  if (!Predicate.isObject(value) || ast === undefined || !SchemaAST.isObjects(ast)) return JSON.stringify(value)
  const types = new Map(fields(ast).map(({ name, type }) => [name, type]))
  return Record.map(value, (item, name) => textual(types.get(String(name)) ?? ast.indexSignatures[0]?.type, item))
}

/** Parameters as an operation declares them: a list, an object in JSON, or else the last value. */
const parameters = (schema: Schema.Codec<object, unknown>, given: Readonly<Record<string, ReadonlyArray<string>>>) => {
  const types = new Map(encoded(schema.ast).map(({ name, type }) => [name, type]))
  return Record.map(given, (values, name) => {
    const [type, last = ""] = [types.get(name), values.at(-1)]
    if (type !== undefined && SchemaAST.isArrays(type)) return values
    const value = Option.getOrElse(Content.json(last), () => last)
    return type !== undefined && SchemaAST.isObjects(type) ? textual(type, value) : last
  })
}

const naming = <A>(flag: Flag.Flag<A>, description: string, all: ReturnType<typeof fields>) => {
  const names = [...new Set(all.map(({ name }) => name))].join(", ")
  return Flag.withDescription(flag, names === "" ? description : `${description}: ${names}`)
}

/** Whether a text fits as it is. */
const isText = ({ type }: { readonly type: SchemaAST.AST }): boolean =>
  SchemaAST.isUnion(type)
    ? type.types.some((type) => isText({ type }))
    : /String|Template/.test(type._tag) || (SchemaAST.isLiteral(type) && typeof type.literal === "string")

const content = { data: Content.data, input: Content.input, ...Content.fields }

const isRaw = ({ _tag }: Body.SinglePayload) => _tag === "Bytes" || _tag === "Upload" || _tag === "Text"
const several = (payload: Body.Payload) => (payload._tag === "Choice" ? payload.payloads : [payload])

const contentFlags = (payload: Body.Payload): Partial<typeof content> => {
  const all = several(payload).flatMap(({ schema }) => encoded(schema.ast))
  if (!several(payload).every(isRaw))
    return {
      ...content,
      texts: naming(content.texts, "Text in the content", all.filter(isText)),
      values: naming(
        content.values,
        "Value of JSON, or @FILE",
        all.filter((field) => !isText(field))
      )
    }
  return {
    data: Flag.withDescription(content.data, "Content of the request: text, @FILE, or @- for stdin"),
    input: Flag.withDescription(content.input, "File with the content; - reads stdin")
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The content of a request, by the media types that it can have: of several, the first that it fits. */
const payloadOf = Effect.fnUntraced(function* (
  payload: Body.Payload,
  given: Command.Command.Config.Infer<typeof content>,
  isSure: boolean
) {
  const all = several(payload)
  const read = all.some(({ _tag }) => _tag === "Multipart") ? Content.fileOf : undefined
  const object = yield* Content.object(given, isSure, read)
  const { content, flag } = yield* Content.one(given.data, given.input, object)
  if (Option.isNone(content) && payload.optional === true) return undefined
  if (Option.isNone(content)) return yield* Failure.usage("the operation needs content: pass --data, --input or fields")
  const bytes = yield* Content.bytes(content.value, isSure, flag)
  const text = Option.getOrUndefined(Option.liftThrowable(() => utf8.decode(bytes))())
  const isJson = Option.isSome(Content.json(text))
  const hasFields = Object.keys(object).length > 0
  const fit = (single: Body.SinglePayload): Effect.Effect<unknown, Failure.Failure> => {
    const { _tag, schema } = single
    if (_tag === "Bytes") return Effect.succeed(bytes)
    if (_tag === "Upload") return Effect.succeed({ stream: Stream.make(bytes), length: bytes.length })
    if (text === undefined) return Effect.fail(Failure.usage(`${flag}: the content is not UTF-8 text`))
    if (_tag === "Text") return Effect.succeed(text)
    if (!isJson) return Effect.fail(Content.notJson(content.value, flag))
    const { codec = JSON } = _tag === "Json" ? single : {}
    const value: unknown = hasFields ? object : codec.parse(text)
    const encoded = _tag === "Json" ? value : textual(SchemaAST.toEncoded(schema.ast), value)
    return part(hasFields ? "fields" : flag, Schema.make<Schema.Codec<unknown>>(schema.ast), encoded)
  }
  if (payload._tag !== "Choice") return yield* fit(payload)
  const some = all.filter((single) => isRaw(single) !== isJson)
  return yield* Effect.firstSuccessOf(
    (some.length > 0 ? some : all).map((single) =>
      Effect.map(fit(single), (value) => ({ contentType: single.contentType, value }))
    )
  )
})

export const flags = ({ headers, payload, query }: Operation.Any, takesHeaders: boolean) => ({
  ...(payload && contentFlags(payload)),
  ...(query && { query: naming(Content.query, "Query parameter; can be repeated", encoded(query.schema.ast)) }),
  ...((takesHeaders || headers) && {
    headers: naming(Content.headers, "Header of the request; can be repeated", encoded(headers?.schema.ast))
  })
})

type Given = Command.Command.Config.Infer<ReturnType<typeof flags>>

/** The parts of an operation's input that are not in its path, and the headers that it does not declare. */
export const parts = Effect.fnUntraced(function* (
  { headers, payload, query }: Operation.Any,
  { data = Option.none(), input = Option.none(), texts = [], values = [], ...given }: Given,
  isSure: boolean
) {
  const sent = payload && (yield* payloadOf(payload, { data, input, texts, values }, isSure))
  const declared = new Map(encoded(headers?.schema.ast).map((field) => [field.name.toLowerCase(), field]))
  const named = Object.entries(given.headers ?? {}).flatMap(([key, text]) => {
    const field = declared.get(key)
    return field === undefined ? [] : [[field.name, SchemaAST.isArrays(field.type) ? text.split(/, */) : text] as const]
  })
  const others = Record.filter(given.headers ?? {}, (_, name) => !declared.has(name))
  const own = {
    ...(sent !== undefined && { payload: sent }),
    ...(query !== undefined && {
      query: yield* part("--query", query.schema, parameters(query.schema, given.query ?? {}))
    }),
    ...(named.length > 0 && headers && { headers: yield* part("--header", headers.schema, Object.fromEntries(named)) })
  }
  return { input: own, headers: others }
})
