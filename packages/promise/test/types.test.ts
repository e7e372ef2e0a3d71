import { describe, expect, expectTypeOf, it } from "vitest"
import { type Brand, type DateTime, Option, Schema, SchemaGetter } from "effect"
import { Body, Operation } from "@cloud-management/client"
import type { OpenEnum } from "@cloud-management/client/Wire"
import { type CallOptions, Client, type Input, type Method, type Output } from "@cloud-management/promise"
import { connect, id, listed, settings, stub } from "./Stub.ts"

// `tsc -b` judges this file; vitest runs it to show that the values have the types

type Kind = "A" | "B" | (string & {})
const Open: OpenEnum<"A" | "B"> = Schema.String
class Note extends Schema.Class<Note>("Note")({ at: Schema.DateTimeUtcFromString }) {
  get year() {
    return this.at
  }
}
class Money {
  readonly #cents: number
  constructor(cents: number) {
    this.#cents = cents
  }
  get cents() {
    return this.#cents
  }
}
const fields = {
  text: Schema.String,
  literal: Schema.Literals(["x", "y"]),
  open: Open,
  id: Schema.String.pipe(Schema.brand("Id")),
  large: Schema.BigIntFromString,
  dateTime: Schema.DateTimeUtcFromString,
  date: Schema.DateFromString,
  option: Schema.OptionFromNullOr(Schema.String),
  bytes: Schema.Uint8ArrayFromBase64,
  url: Schema.URLFromString,
  price: Schema.Finite.pipe(
    Schema.decodeTo(Schema.instanceOf(Money), {
      decode: SchemaGetter.transform((cents) => new Money(cents)),
      encode: SchemaGetter.transform(({ cents }) => cents)
    })
  ),
  anything: Schema.Unknown
}
const Part = Schema.Struct(fields)
const Everything = Schema.Struct({
  ...fields,
  optional: Schema.optionalKey(Open),
  nullable: Schema.NullOr(Open),
  list: Schema.Array(Part),
  pair: Schema.Tuple([Open, Schema.DateTimeUtcFromString]),
  byName: Schema.Record(Schema.String, Open),
  part: Part.pipe(Schema.brand("Part")),
  note: Note
})

interface Fields {
  readonly text: string
  readonly literal: "x" | "y"
  readonly open: Kind
  readonly id: string & Brand.Brand<"Id">
  readonly large: bigint
  readonly dateTime: Date
  readonly date: Date
  readonly option: Option.Option<string>
  readonly bytes: Uint8Array
  readonly url: URL
  readonly price: Money
  readonly anything: unknown
}
interface Whole extends Fields {
  readonly optional?: Kind
  readonly nullable: Kind | null
  readonly list: ReadonlyArray<Fields>
  readonly pair: readonly [Kind, Date]
  readonly byName: { readonly [name: string]: Kind }
  readonly part: Fields & Brand.Brand<"Part">
  readonly note: { readonly at: Date; readonly year: Date }
}

/** The fields whose values a program cannot use as the expected type, or cannot give as it; empty if all are right. */
type Wrong<Actual, Expected> = {
  [Key in keyof Actual | keyof Expected]: [Actual[Key & keyof Actual]] extends [Expected[Key & keyof Expected]]
    ? [Expected[Key & keyof Expected]] extends [Actual[Key & keyof Actual]]
      ? never
      : Key
    : Key
}[keyof Actual | keyof Expected]

const encoded = {
  text: "a",
  literal: "x",
  open: "C",
  id: "i",
  large: "2",
  dateTime: "2026-01-01T00:00:00.000Z",
  date: "2026-01-01T00:00:00.000Z",
  option: "some",
  bytes: "AQI=",
  url: "https://example.com/",
  price: 100,
  anything: [1]
}
const content = {
  ...encoded,
  optional: "A",
  nullable: null,
  list: [encoded],
  pair: ["B", encoded.dateTime],
  byName: { x: "A" },
  part: encoded,
  note: { at: encoded.dateTime }
}

const put = Operation.make({
  group: "things",
  name: "put",
  method: "PUT",
  path: "/v1/things",
  payload: Body.json(Everything),
  success: Body.json(Everything),
  errors: []
})

const use = (text: string | undefined) => {
  const names: Readonly<Record<string, string>> = { Ready: "ready" }
  return [names[text ?? ""], new Set<string>(["Ready"]).has(text ?? ""), text?.toLowerCase()]
}

describe("an output", () => {
  it("of an operation of your own has the types of its values, and can be an input", async () => {
    const { fetch, requests } = stub(() => Response.json(content))
    const cloud = new Client({ baseUrl: settings.baseUrl, fetch, operations: { things: { put } } })
    const date = new Date(encoded.date)
    const part = {
      text: "a",
      literal: "x",
      open: "C",
      id: "i",
      large: 2n,
      dateTime: date,
      date,
      option: Option.some("some"),
      bytes: new Uint8Array([1, 2]),
      url: new URL("https://example.com/"),
      price: new Money(100),
      anything: [1]
    } as const
    const thing = await cloud.things.put({
      payload: {
        ...part,
        optional: "A",
        nullable: null,
        list: [part],
        pair: ["B", date],
        byName: { x: "A" },
        part,
        note: new Note({ at: Schema.decodeUnknownSync(fields.dateTime)(encoded.dateTime) })
      }
    })
    expectTypeOf<Wrong<typeof thing, Whole>>().toEqualTypeOf<never>()
    expectTypeOf<Wrong<(typeof thing)["list"][number], Fields>>().toEqualTypeOf<never>()
    for (const text of [thing.text, thing.open, thing.id, thing.optional, thing.pair[0]]) {
      expect(use(text)[1]).toBe(false)
    }
    expect(thing.large + 1n).toBe(3n)
    expect(thing).toMatchObject({ ...part, note: { at: date, year: date }, part: { dateTime: date }, list: [part] })

    await cloud.things.put({ payload: thing })
    expect(await Promise.all(requests.map((request) => request.json()))).toEqual([content, content])
  })

  it("of the API has the types of its fields, without a schema's name for them", async () => {
    const [organization] = await connect(listed).cloud.organizations.list()
    expectTypeOf(organization).toEqualTypeOf<{
      readonly id: string & Brand.Brand<"OrganizationId">
      readonly createdAt?: Date
      readonly name?: string
      readonly privateEndpoints?: ReadonlyArray<{ readonly id: string; readonly description?: string }>
      readonly byocConfig?: ReadonlyArray<{ readonly id: string; readonly accountName?: string }>
    }>()
    expect(use(organization.id)).toEqual([undefined, false, id])
  })
})

type Tree = string | null | ReadonlyArray<Tree> | { readonly [name: string]: Tree }
interface Person {
  readonly name: string
  readonly boss?: Person
  readonly team?: ReadonlyArray<Person>
}
interface Task {
  readonly at: DateTime.Utc
  readonly owner: Person
  readonly parts?: ReadonlyArray<Task>
  readonly note: TaskNote | null
  readonly byName?: { readonly [name: string]: Task }
}
interface TaskNote {
  readonly price: Money
  readonly of: Task
}

it("an output that contains itself has its fields, at every depth", () => {
  const read = (
    task: Output<Task>
  ): readonly [Date | undefined, string | undefined, Date | undefined, Money | undefined] => [
    task.parts?.[0]?.note?.of.at,
    task.owner.boss?.team?.[0]?.name,
    task.byName?.["a"]?.at,
    task.note?.price
  ]
  const at = new Date(0)
  const owner = { name: "a", boss: { name: "b", team: [{ name: "c" }] } }
  const price = new Money(1)
  const part = { at, owner, note: null }
  const task = {
    ...part,
    parts: [{ ...part, note: { price, of: part } }],
    byName: { a: part },
    note: { price, of: part }
  }
  expect(read(task)).toEqual([at, "c", at, price])
  expectTypeOf<Output<Person>>().toEqualTypeOf<Person>()
  expectTypeOf<Output<{ readonly value: Tree }>>().toEqualTypeOf<{ readonly value: Tree }>()
  expectTypeOf<Output<{ readonly at: DateTime.Utc; readonly value: Tree }>["value"]>().toEqualTypeOf<Tree>()
  expectTypeOf<Output<{ readonly result: ReadonlyArray<Person> }>>().toEqualTypeOf<{
    readonly result: ReadonlyArray<Person>
  }>()
})

it("an input may contain itself, in lists too", () => {
  const value: Input<{ readonly value: Tree }> = { value: ["a", ["b", { c: null }]] }
  // @ts-expect-error a number is none of its values
  const wrong: Input<{ readonly value: Tree }> = { value: [1] }
  expect([value, wrong]).toHaveLength(2)
})

it("an input needs no brand", () => {
  expectTypeOf<Input<string & Brand.Brand<"Id">>>().toEqualTypeOf<string>()
  expectTypeOf<Input<number & Brand.Brand<"Count">>>().toEqualTypeOf<number>()
  expectTypeOf<Input<bigint & Brand.Brand<"Serial">>>().toEqualTypeOf<bigint>()
  expectTypeOf<Input<boolean & Brand.Brand<"Flag">>>().toEqualTypeOf<boolean>()
  expectTypeOf<Input<{ readonly at: Date } & Brand.Brand<"Part">>>().toEqualTypeOf<{ readonly at: Date }>()
  expectTypeOf<Input<Kind>>().toEqualTypeOf<Kind>()
})

it("a call of a generated operation without an input has its options first, as that of one by hand", () => {
  interface List extends Operation.Any {
    readonly name: "list"
  }
  interface Get extends Operation.Any {
    readonly params: Schema.Codec<{ readonly id: string }, { readonly id: string }>
  }
  expectTypeOf<Parameters<Method<List>>>().toEqualTypeOf<[options?: CallOptions]>()
  expectTypeOf<Parameters<Method<Get>>>().toEqualTypeOf<[input: { readonly id: string }, options?: CallOptions]>()
  expectTypeOf<Parameters<Method<Operation.Any>>>().toEqualTypeOf<[input?: object, options?: CallOptions]>()
})
