import { Effect, Predicate, Result, Schema, Stdio, Stream } from "effect"
import { type Body, type Operation, RequestHeaders } from "@cloud-management/client"
import * as Connection from "../connection/Connection.ts"
import * as Failure from "../output/Failure.ts"
import * as Foreign from "../output/foreign.ts"
import * as Format from "../output/Format.ts"
import * as Output from "../output/output.ts"
import * as Table from "../output/table.ts"
import * as Rows from "./rows.ts"

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

const isBytes = (success: Body.Success): boolean =>
  success._tag === "OneOf"
    ? success.bodies.some(isBytes)
    : success._tag === "Bytes" || (success._tag === "Stream" && success.framing === "bytes")

const taken = (success: Body.Success, value: unknown): { readonly body: Body.Success; readonly content: unknown } => {
  if (success._tag !== "OneOf" || !Predicate.hasProperty(value, "value")) return { body: success, content: value }
  const { value: content } = value
  const body = success.bodies.find(
    ({ _tag, status }) =>
      Predicate.hasProperty(value, "status") &&
      value.status === status &&
      (_tag === "Stream") === Stream.isStream(content)
  )
  return { body: body ?? success, content }
}

const lines = (records: ReadonlyArray<ReadonlyArray<Table.Row>>) => (width: number) => Table.records(records, width)

/** Records of another API by their IDs, which it can call `coupon_id`. */
const identified = Effect.fnUntraced(function* (result: ReadonlyArray<unknown>) {
  const records = result.filter(Predicate.isObject)
  const names = [...new Set(records.flatMap(Object.keys))].filter((name) => Rows.words(name).at(-1) === "id")
  const [name = "id", ...others] = names.includes("id") ? ["id"] : names
  if (others.length === 0 && (records.length === 0 || names.length > 0))
    return records.flatMap(({ [name]: id }) => (Predicate.isNullish(id) ? [] : [{ id }]))
  const problem = `--format ids: the result has no field id${others.length > 0 ? `, but ${names.join(", ")}` : ""}`
  return yield* Failure.usage(problem, "The request has succeeded: `--format json` shows all fields.")
})

const isStream = (value: unknown): value is Stream.Stream<unknown, Failure.AnyCloudError> => Stream.isStream(value)

interface Call {
  readonly input: object
  readonly headers?: Readonly<Record<string, string>>
  readonly paginate?: boolean
  readonly subject: string
  /** Under what the IDs of the result are kept. */
  readonly kind?: string
}

/** Performs an operation, and prints its result: as JSON or rows, bytes and texts as they are, streams by parts. */
export const show = Effect.fnUntraced(function* (
  connection: Connection.Connection,
  operation: Operation.Any,
  { headers = {}, input, kind, paginate = false, subject }: Call
) {
  const stdio = yield* Stdio.Stdio
  const isTerminal = yield* stdio.stdoutIsTerminal
  if (isTerminal && isBytes(operation.success))
    return yield* Failure.usage("the result is bytes, which a terminal cannot show", "Send it to a file or a pipe.")
  const sent = asSent(operation)
  const call = (query: Operation.Any["query"]) =>
    RequestHeaders.within(Connection.exchange(connection, { ...sent, ...(query && { query }) }, input), headers)
  const failed = (error: Failure.AnyCloudError) =>
    Failure.fromCloudError(error, { ...connection, path: Connection.pathOf(operation, input) })
  const { isForeign } = connection
  const format = yield* Format.Format
  const isIds = isForeign && format === "ids"
  const rows = (records: ReadonlyArray<unknown>) => records.map((record) => Rows.rows(record, isForeign))
  if (paginate && operation.pagination !== undefined) {
    const context = yield* Effect.context<Effect.Services<ReturnType<typeof call>>>()
    const inContext = (query: Operation.Any["query"]) => Effect.provideContext(call(query), context)
    const next = operation.pagination.reader(inContext, operation, input, undefined)
    const pages = Stream.unfold(undefined, () => Effect.map(next, (page) => page && ([page.items, undefined] as const)))
    const items = (yield* Effect.catchTag(Stream.runCollect(pages), "CallError", (error) => failed(error))).flat()
    return yield* Format.print(isIds ? yield* identified(items) : items, lines(rows(items)), kind)
  }
  const { requestId, value } = yield* call(undefined)
  const { body, content } = taken(sent.success, value)
  const write = (stream: Stream.Stream<string | Uint8Array, Failure.Failure>) =>
    Effect.mapError(Stream.run(stream, stdio.stdout()), (error) =>
      error instanceof Failure.Failure ? error : Output.failureOf(error)
    )
  if (isStream(content)) {
    const decoder = new TextDecoder()
    /** The ends of the texts in the part before, by their fields: a secret can be cut between two parts. */
    let ends: ReadonlyMap<string, string> = new Map()
    const written = (part: unknown) => {
      const isBinary = part instanceof Uint8Array
      const fields = isBinary ? [["", decoder.decode(part, { stream: true })] as const] : Rows.rows(part, true)
      const texts = fields.map(
        ([label, text = ""]) => [label, (ends.get(label) ?? "") + [text].flat().join("")] as const
      )
      ends = new Map(texts.map(([label, text]) => [label, text.slice(-512)]))
      return connection.repeats([part, texts])
        ? Effect.fail(
            Failure.make("unexpected", "InvalidResponse", "the rest is not shown: it contains the credentials")
          )
        : Effect.succeed(isBinary ? part : `${Foreign.toJson(part)}\n`)
    }
    return yield* write(Stream.mapEffect(Stream.mapError(content, failed), written))
  }
  if (content instanceof Uint8Array) return yield* write(Stream.make(content))
  if (typeof content === "string" && body._tag !== "Json") {
    const isAsIs = body._tag === "Text" && !isTerminal && format !== "json"
    if (isAsIs) return yield* write(Stream.make(content))
    return yield* Format.print(content, () => content.split("\n").map(Foreign.clean))
  }
  const encoded = yield* Effect.orDie(
    Schema.encodeUnknownEffect(Schema.make<Schema.Codec<unknown>>(body.schema.ast))(content)
  )
  const hasResult = body._tag === "Envelope" && Predicate.hasProperty(encoded, "result")
  const result = hasResult ? encoded.result : (encoded ?? null)
  const isDone = result === null || (body._tag === "Envelope" && !hasResult)
  const [records, beside] = isForeign ? Rows.held(result, operation.pagination !== undefined) : [result, {}]
  const deleted = isDone && operation.method === "DELETE" ? { deleted: subject } : undefined
  const all = isDone ? [] : [records].flat()
  const shown = lines([...rows(all), [...Rows.rows(deleted ?? beside, true), ["Request ID", requestId]]])
  if (deleted !== undefined && format === "ids") return yield* Format.print(deleted, shown)
  yield* Format.print(isIds ? yield* identified(all) : result, shown, kind)
})
