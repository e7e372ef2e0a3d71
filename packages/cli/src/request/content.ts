import { Effect, Option, Schema, Stream } from "effect"
import { CliError, type Command, Flag } from "effect/cli"
import { RequestHeaders } from "@cloud-management/client"
import { basename } from "node:path"
import * as Ask from "../terminal/ask.ts"
import * as Connection from "../connection/Connection.ts"
import * as Failure from "../output/Failure.ts"
import * as Flags from "../input/flag.ts"
import * as Input from "../input/input.ts"

export const data = Flag.String("data").pipe(
  Flag.optional,
  Flag.withMetavar("json"),
  Flag.withDescription("JSON content of the request: text, @FILE, or @- for stdin")
)

const parameter = (text: string): Option.Option<readonly [name: string, value: string]> => {
  const [, name = "", value = ""] = /^([^=]+)=([^]*)$/.exec(text) ?? []
  return name === "" ? Option.none() : Option.some([name, value])
}

/** The values of each name, which can be that of a property of all objects. */
const grouped = (pairs: ReadonlyArray<readonly [name: string, value: string]>) => {
  const values = new Map<string, ReadonlyArray<string>>()
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value])
  return Object.fromEntries(values)
}

const pairs = (name: string, description: string) =>
  Flags.of(name, { parse: parameter, expected: "NAME=VALUE", metavar: "name=value", description })

export const query = pairs("query", "Query parameter; can be repeated").pipe(Flag.atLeast(0), Flag.map(grouped))

const field = (name: string, alias: string, description: string) =>
  pairs(name, description).pipe(Flag.withAlias(alias), Flag.atLeast(0))

/** `--raw-field` and `--field`: the fields of an object, or of the query where there is no content. */
export const fields = {
  texts: field("raw-field", "f", "Text in the content, or for GET in the query; can be repeated"),
  values: field("field", "F", "The same for a value of JSON, or with @FILE for the text of a file")
}

/** The object that fields make. A value of `@FILE` is the text of the file, unless it is read otherwise. */
export const object = Effect.fnUntraced(function* (
  { texts, values }: Command.Command.Config.Infer<typeof fields>,
  yes: boolean,
  read: Read = textOf
) {
  const names = [...texts, ...values].map(([name]) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) return yield* Failure.usage(`the field ${twice} is given twice`, "Pass --query for a list.")
  const [first, second] = values.filter(([, text]) => isPiped(text))
  if (second !== undefined) {
    return yield* Failure.usage(
      `--field ${second[0]}: stdin is read for the field ${first?.[0]}`,
      "Pass a file to one of them."
    )
  }
  if (first !== undefined) yield* claim(first[1], yes, `--field ${first[0]}`)
  const typed = yield* Effect.forEach(values, ([name, text]) => {
    const refusal = (problem: string) => Failure.usage(`--field ${name}: ${text.slice(1)} ${problem}`)
    const value = text.startsWith("@")
      ? read(text.slice(1), refusal)
      : Effect.succeed(Option.getOrElse(json(text), () => text))
    return Effect.map(value, (value) => [name, value] as const)
  })
  return Object.fromEntries<unknown>([...texts, ...typed])
})

export const parts = (target: `/${string}`, given: Readonly<Record<string, ReadonlyArray<string>>>) => {
  const [path = "", ...rest] = target.slice(1).split("?")
  const more = Object.entries(given).flatMap(([name, all]) => all.map((value) => [name, value] as const))
  return [`/${path}`, grouped([...new URLSearchParams(rest.join("?")), ...more])] as const
}

/** `--header`: headers of a request besides those that the client sets. What is refused is not quoted: it can be a secret. */
export const headers = Flag.String("header").pipe(
  Flag.atLeast(0),
  Flag.mapEffect((all) => {
    const found: Record<string, string> = {}
    for (const text of all) {
      const [, name = "", value = ""] = /^([^:]+): *([^]*)$/.exec(text) ?? []
      if (name === "" || RequestHeaders.rule(name, value, found) !== undefined) {
        const expected = "NAME:VALUE, once, for a header that the client does not set itself"
        return Effect.fail(new CliError.ValidationError({ message: `--header: expected ${expected}` }))
      }
      found[name.toLowerCase()] = value
    }
    return Effect.succeed(found)
  }),
  Flag.withMetavar("name:value"),
  Flag.withDescription("Header of the request; can be repeated")
)

export const json = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The most content that is sent, in bytes. */
const largest = 2 ** 28

type Refusal = (problem: string) => Failure.Failure

type Read = (
  path: string,
  refusal: Refusal
) => Effect.Effect<unknown, Failure.Failure, Stream.Services<ReturnType<typeof Input.bytes>>>

const textOf: Read = (path, refusal) => Stream.mkString(Input.text(path, refusal, largest))

export const fileOf: Read = (path, refusal) =>
  Effect.map(bytesOf(path, refusal), (bytes) => new File([bytes], basename(path)))

const bytesOf = (path: string, refusal: Refusal) =>
  Input.bytes(path, largest).pipe(
    Stream.mapError((error) => refusal(Input.unreadable(error))),
    Stream.mkUint8Array
  )

export const input = Flag.String("input").pipe(
  Flag.map((path) => `@${path}`),
  Flag.optional,
  Flag.withMetavar("path"),
  Flag.withDescription("JSON file with the content; - reads stdin")
)

/** The content of `--data` or `--input`, unless fields are content too, and its flag. */
export const one = Effect.fnUntraced(function* (
  data: Option.Option<string>,
  input: Option.Option<string>,
  fields: object
) {
  const own = Object.keys(fields).length > 0 ? [JSON.stringify(fields)] : []
  const [content, ...others] = [data, input].flatMap(Option.toArray).concat(own)
  if (others.length > 0) return yield* Failure.usage("--data, --input and fields are content: pass one of them")
  return { content: Option.fromUndefinedOr(content), flag: Option.isSome(input) ? "--input" : "--data" }
})

/** Refuses content. Messages do not quote it, because it can contain a secret. */
const refusing =
  (data: string, flag: string, advice?: string): Refusal =>
  (problem) =>
    Failure.usage(`${flag}: ${data.startsWith("@") ? data.slice(1) : "the text"} ${problem}`, advice)

const example = `Pass JSON text, such as --data '{"name":"deploy"}', or @ and the path of a JSON file.`

export const notJson = (data: string, flag: string): Failure.Failure => refusing(data, flag, example)("is not JSON")

export const bytes = Effect.fnUntraced(function* (data: string, yes: boolean, flag: string) {
  yield* claim(data, yes, flag)
  return data.startsWith("@") ? yield* bytesOf(data.slice(1), refusing(data, flag)) : Buffer.from(data)
})

export const given = Effect.fnUntraced(function* (data: Option.Option<string>, yes: boolean, flag: string) {
  if (Option.isNone(data)) return undefined
  yield* claim(data.value, yes, flag)
  const text = data.value.startsWith("@")
    ? yield* Stream.mkString(Input.text(data.value.slice(1), refusing(data.value, flag, example), largest))
    : data.value
  return Option.isSome(json(text)) ? text : yield* notJson(data.value, flag)
})

const isPiped = (data: string) => data.startsWith("@") && Input.isStdin(data.slice(1))

/** Refuses to read the content from stdin if that is also to be read for something else. */
const claim = Effect.fnUntraced(function* (data: string, yes: boolean, flag: string) {
  if (isPiped(data)) {
    const file = yield* Connection.KeySecretFile
    if (Option.isSome(file) && Input.isStdin(file.value.value)) {
      return yield* Failure.usage(`${flag} and ${file.value.source} both read stdin`, "Pass a file to one of them.")
    }
    if (!yes && (yield* Ask.can)) {
      return yield* Failure.usage(`${flag}: stdin is read for the content, so it cannot confirm`, "Pass --yes.")
    }
  }
})
