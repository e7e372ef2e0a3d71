import { describe, expect, it } from "@effect/vitest"
import { runInNewContext } from "node:vm"
import { Body, Envelope, Wire } from "@cloud-management/client"
import { Option, Result, Schema } from "effect"
import { identity } from "effect/Function"
import { textOf } from "./Stub.ts"

const { anyOf, oneOf, orUnknown } = Wire
const { Struct } = Schema

type Member = Schema.Codec<unknown, unknown>

const Value = Struct({ value: Schema.Finite })
const Both = Struct({ value: Schema.Finite, value2: Schema.Finite })
const Failed = Struct({ error: Schema.optionalKey(Schema.String) })
const Data = Struct({ data: Schema.optionalKey(Schema.String) })
const Cat = Struct({ kind: Schema.Literal("cat"), lives: Schema.optionalKey(Schema.Finite) })
const Dog = Struct({ kind: Schema.Literal("dog") })
const OkOr = orUnknown(
  oneOf([
    Struct({ ok: Schema.Literal(true), kind: Schema.Literal("done") }),
    Struct({ ok: Schema.Literal(false), kind: Schema.Literal("failed"), why: Schema.String })
  ]),
  { ok: [true, false], kind: ["done", "failed"] }
)
const Pet = orUnknown(oneOf([Cat, Dog]), { kind: ["cat", "dog"] })
const Public = Struct({ view: Wire.nullishKey(Schema.Literal("public")), name: Schema.String })
const Private = Struct({ view: Wire.nullishKey(Schema.Literal("private")), name: Schema.String, plan: Schema.String })
const User = orUnknown(oneOf([Public, Private]), { view: ["public", "private", undefined] })
const P = Struct({ x: Struct({ p: Schema.optionalKey(Schema.String) }) })
const Q = Struct({ x: Struct({ q: Schema.optionalKey(Schema.String) }), later: Schema.optionalKey(Pet) })
const Renamed = Struct({ a: Schema.optionalKey(Schema.String) }).pipe(Schema.encodeKeys({ a: "b" }))
class Named extends Schema.Class<Named>("Named")({ name: Schema.optionalKey(Schema.String) }) {}

const read = (schema: Member, value: unknown) => Schema.decodeUnknownResult(schema)(value)
const written = (schema: Member, value: unknown) =>
  Schema.encodeUnknownResult(schema, { onExcessProperty: "error" })(value)

const without = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(without)
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).flatMap(([name, part]) => (name === "z" ? [] : [[name, without(part)]])))
    : value
}

describe("alternatives", () => {
  const { Array: List, Finite, Record, String: Text } = Schema
  const long = 9007199254740993n
  const emu = { kind: "emu", z: 3 }
  const hidden: object = JSON.parse('{"__proto__": 1}')
  // what is read of a value is all but `z`, unless a row says otherwise
  it.each<[name: string, schema: Member, value: object, expected?: unknown]>([
    ["one that reads most", oneOf([Value, Both]), { value: 1, value2: 2, z: 3 }],
    [
      "one whose field has a name that every object has",
      oneOf([Wire.tagged(Struct({ kind: Text, toString: Text }), { kind: ["cat"] }), Dog]),
      { kind: "cat", toString: "Tom" }
    ],
    [
      "one that keeps all digits, though another reads more",
      oneOf([Record(Text, Wire.RoundedJson), Struct({ id: Wire.Int64 })]),
      { id: long, z: [{ a: 1 }, 2] }
    ],
    [
      "any, of which one keeps all digits",
      anyOf([Struct({ id: Wire.Rounded, a: Text, b: Text }), Struct({ id: Wire.Int64 })]),
      { id: long, a: "1", b: "2" }
    ],
    [
      "one that reads most of the upper level, though another reads more below",
      oneOf([
        Struct({ x: Struct({ id: Finite, urls: Struct({ a: Finite }) }) }),
        Struct({ x: Struct({ urls: Record(Text, Finite) }) })
      ]),
      { x: { id: 1, urls: { a: 1, b: 2, c: 3, d: 4 } } },
      { x: { id: 1, urls: { a: 1 } } }
    ],
    ["one whose fields are optional", oneOf([Failed, Data]), { data: "a", z: 3 }],
    ["one that names its fields otherwise", oneOf([Failed, Renamed]), { b: "a" }, { a: "a" }],
    ["one of a class", oneOf([Failed, Named]), { name: "a", z: 3 }, new Named({ name: "a" })],
    ["any that fits", anyOf([Failed, Data]), { data: "a", error: "b", z: 3 }],
    ["any at depth", anyOf([P, Q]), { x: { p: "1", q: "2", z: 3 }, z: 3 }],
    ["any in a list", List(anyOf([Failed, Data])), [{ data: "a", error: "b", z: 3 }]],
    ["any of lists", anyOf([List(Failed), List(Data)]), [{ data: "a", error: "b" }]],
    ["one entry of a list that is new", List(Pet), [emu, { kind: "cat", z: 3 }], [emu, { kind: "cat" }]],
    ["a new one in none but the last", oneOf([Struct({ x: Pet }), P]), { x: { ...emu, p: "1" } }, { x: { p: "1" } }],
    [
      "a known one, to others new",
      oneOf([Pet, Struct({ kind: Schema.Literal("emu"), wings: Finite })]),
      { wings: 2, ...emu }
    ],
    [
      "a field with a new one, which the other lacks",
      oneOf([Struct({ id: Finite }), Struct({ id: Finite, pet: Pet })]),
      { id: 1, pet: { kind: "emu", wings: 2 }, z: 3 }
    ],
    ["a new one without a tag", orUnknown(oneOf([Value, Both])), { z: 3 }, { z: 3 }],
    ["one without its tag, which is optional", User, { name: "a", plan: "b", z: 3 }],
    ["one whose tag is null", User, { view: null, name: "a" }, { name: "a" }],
    ["a new one by an optional tag", User, { view: "late", z: 3 }, { view: "late", z: 3 }],
    ["a new one without its optional tag", User, { title: "a" }],
    ["a new one of which only one tag is new", OkOr, { ok: false, ...emu }, { ok: false, ...emu }],
    ["a name that objects have", anyOf([Failed, Record(Text, Finite)]), hidden, hidden]
  ])("of a response: %s", (_, schema, value, expected = without(value)) => {
    expect(read(schema, value)).toEqual(Result.succeed(expected))
    expect(Object.keys(Result.getOrThrow(read(schema, value)) ?? {}).toSorted()).toEqual(
      Object.keys(expected ?? {}).toSorted()
    )
  })

  it.each<[name: string, schema: Member, value: unknown]>([
    ["a known tag that does not fit", Pet, { kind: "cat", lives: "nine" }],
    ["no tag", Pet, { lives: 9 }],
    ["a known value of an optional tag", User, { view: "private", name: "a" }],
    ["a tag of another type", Pet, { kind: 9 }],
    ["a known one that lacks a field", OkOr, { ok: false, kind: "failed" }],
    ["no object", orUnknown(oneOf([Value, Both])), "text"],
    ["a list", orUnknown(oneOf([Value, Both])), []]
  ])("of a response do not fit: %s", (_, schema, value) => {
    expect(Result.isFailure(read(schema, value))).toBe(true)
  })

  it.each<[name: string, schema: Member, value: object, message?: string]>([
    ["one", oneOf([Failed, Data]), { data: "a" }],
    ["one, with the fields of another", oneOf([Failed, Data]), { data: "a", error: "b" }, "data"],
    ["any, with the fields of two", anyOf([Failed, Data]), { data: "a", error: "b" }],
    ["any at depth", anyOf([P, Q]), { x: { p: "1", q: "2" } }],
    ["any, with a field of none", anyOf([Failed, Data]), { data: "a", error: "b", z: 3 }, "z"],
    ["any at depth, with a field of none", anyOf([P, Q]), { x: { p: "1", q: "2", z: 3 } }, '"x"]["z'],
    ["any, with a field that does not fit", anyOf([Value, Both, Data]), { value: 1, value2: "2", data: "" }, "value2"],
    ["one that is new", Pet, { kind: "emu" }, "cat"]
  ])("of a request: %s", (_, schema, value, message) => {
    const result = written(schema, value)
    const { success, told } = Result.isSuccess(result)
      ? { success: result.success, told: "" }
      : { success: undefined, told: String(result.failure) }
    expect(success).toEqual(message === undefined ? value : undefined)
    expect(told).toContain(message ?? "")
  })

  it("encode what was read of an unknown one, and nothing else", () => {
    const raw = { kind: "emu", speed: [1, { z: 2 }] }
    const emu = Schema.decodeUnknownSync(Pet)(raw)
    expect([Wire.isUnknown(emu), Wire.isUnknown(raw), Wire.isUnknown({ ...emu }), Wire.isUnknown(1)]).toEqual([
      true,
      false,
      false,
      false
    ])
    expect(Schema.encodeUnknownSync(Pet)(emu)).toEqual(raw)
    expect(() => Schema.encodeUnknownSync(Pet)({ ...emu })).toThrow("one of the alternatives")
    expect(Wire.isUnknown(Schema.decodeUnknownSync(Pet)({ kind: "dog", z: 3 }))).toBe(false)
  })

  it("see a value as it is in each call", () => {
    const value: { data?: string; error?: string; z: number } = { data: "a", z: 1 }
    const schema = anyOf([Failed, Data])
    const decode = Schema.decodeUnknownSync(schema)
    expect(decode(value)).toEqual({ data: "a" })
    value.error = "b"
    expect(decode(value)).toEqual({ data: "a", error: "b" })
  })
})

/** Alternatives, and the body that has them, perhaps with more around its value. */
type Nesting = readonly [
  of: (members: ReadonlyArray<Member>) => Member,
  bodyOf?: (schema: Member) => Body.SingleSuccess,
  wrap?: (value: object) => object
]

/** How often the leaves of a value are read, in alternatives that contain themselves. */
const workOf = ([of, bodyOf, wrap = identity]: Nesting, strict: boolean, leaf: object) => {
  let count = 0
  const counted = Schema.Finite.check(Schema.makeFilter(() => ++count > 0))
  const field = Schema.optionalKey(counted)
  const next = Schema.optionalKey(Schema.suspend((): Member => Node))
  const others = Schema.optionalKey(Schema.Array(Schema.suspend((): Member => Node)))
  const Node = of([
    Struct({ next, v: counted, a: field }),
    Struct({ next, v: counted, b: counted }),
    Struct({ next, v: counted, c: field, others })
  ])
  const options = strict ? ({ onExcessProperty: "error" } as const) : {}
  const form = bodyOf?.(Node).form ?? Node
  return (depth: number) => {
    const levels = Array.from({ length: depth }).reduce<object>(
      (next, _, i) => ({
        next,
        v: 1,
        ...(i % 3 === 0 ? { a: 1, c: 1 } : i % 3 === 1 ? { b: 1 } : { others: [{ v: 1 }] })
      }),
      leaf
    )
    const value = wrap(levels)
    count = 0
    const results = [Schema.decodeUnknownResult(form, options)(value), Schema.encodeUnknownResult(form, options)(value)]
    // a message is work too
    return (
      count +
      results.map((result) => (Result.isFailure(result) ? String(result.failure).length : 0)).reduce((a, b) => a + b)
    )
  }
}

describe("JSON of values that are none", () => {
  class Point extends Schema.Class<Point>("Point")({ at: Schema.Date }) {}
  const Own = Struct({
    set: Schema.ReadonlySet(Schema.Date),
    map: Schema.ReadonlyMap(Schema.String, Schema.BigInt),
    bytes: Schema.Uint8Array,
    number: Schema.Number,
    url: Schema.URL,
    maybe: Schema.Option(Schema.Date),
    point: Point,
    left: Schema.optional(Schema.Date),
    either: Schema.Union([Struct({ a: Schema.Date }), Schema.Array(Schema.Date), Schema.Null]),
    chosen: anyOf([Struct({ a: Schema.Date }), Struct({ b: Schema.ReadonlySet(Schema.Number) })]),
    next: Schema.optionalKey(Schema.suspend((): Member => Own))
  })
  const leaf = {
    set: new Set([new Date(0)]),
    map: new Map([["a", 10n ** 20n]]),
    bytes: new Uint8Array([0, 255]),
    number: Number.NaN,
    url: new URL("https://example.com/"),
    maybe: Option.some(new Date(1)),
    point: new Point({ at: new Date(2) }),
    either: [new Date(3)],
    chosen: { a: new Date(4), b: new Set([Number.NEGATIVE_INFINITY]) }
  }
  const value = { ...leaf, next: { ...leaf, either: { a: new Date(5) }, left: undefined } }

  it("is that of Effect, and is read back", () => {
    const body = Body.json(Own)
    const text = String(textOf(Result.getOrThrow(body.write(value))))
    const { chosen, left, ...fields } = Own.fields
    expect([chosen, left]).toHaveLength(2)
    const effects = Schema.encodeUnknownSync(
      Schema.toCodecJson(Struct({ ...fields, next: Schema.optionalKey(Schema.Unknown) }))
    )(leaf)
    const json: unknown = JSON.parse(text)
    for (const [name, part] of Object.entries(effects ?? {})) expect(json).toHaveProperty([name], part)
    expect(json).toHaveProperty("chosen", { a: new Date(4).toJSON(), b: ["-Infinity"] })
    const { left: _, ...next } = value.next
    expect(Schema.decodeUnknownSync(body.form ?? Own)(json)).toEqual({ ...value, next })
  })

  it("stays as it is where it is JSON already, and integers keep their digits", () => {
    const body = Body.exact(Body.json(Struct({ id: Wire.Int64, big: Schema.BigInt })))
    const written = Result.getOrThrow(body.write({ id: 2n ** 60n, big: 5n }))
    expect(textOf(written)).toBe('{"id":1152921504606846976,"big":5}')
    expect(Result.isFailure(Body.json(Schema.Date).write(new Date(Number.NaN)))).toBe(true)
  })

  const open: ReadonlyArray<readonly [name: string, schema: Member, value: (part: unknown) => unknown, path: string]> =
    [
      ["unknown", Schema.Unknown, (part) => part, ""],
      ["a field", Struct({ a: Schema.optionalKey(Schema.Unknown) }), (a) => ({ a }), '["a"]'],
      ["any", Struct({ a: Schema.Any }), (a) => ({ a: { b: a } }), '["a"]["b"]'],
      ["an object", Schema.ObjectKeyword, (a) => ({ a: [0, a] }), '["a"][1]'],
      ["a map", Schema.Record(Schema.String, Schema.Unknown), (a) => ({ a }), '["a"]'],
      ["alternatives", Schema.Union([Schema.String, Schema.Array(Schema.Unknown)]), (a) => [a], "[0]"],
      ["one of several", oneOf([Struct({ a: Schema.Unknown }), Schema.String]), (a) => ({ a }), '["a"]']
    ]
  const text = (body: Body.Json<Member>, value: unknown) => Result.map(body.write(value), textOf)

  it.each(open)("is rejected in what no schema describes, and its place is named: %s", (_, schema, value, path) => {
    for (const body of [Body.json(schema), Body.exact(Body.json(schema))]) {
      const odd = [
        new Map(),
        new Set(),
        new Uint8Array(1),
        Number.NaN,
        new Date(Number.NaN),
        new Point({ at: new Date() })
      ]
      const message = expect.stringContaining(`Expected JSON${path && `\n  at ${path}`}`)
      for (const part of [...odd, () => 1, Symbol.iterator, [undefined], { toJSON: () => undefined }])
        expect(text(body, value(part))).toMatchObject({ failure: { message } })
      for (const text of [Wire.jsonText(schema), Wire.exactJsonText(schema)])
        expect(String(written(text, value(new Map())))).toContain(path)
      // what says itself what it is as JSON
      const objects = [{ a: runInNewContext("({ b: [] })"), c: undefined }, Object.create(null)]
      const plain = value([new Date(0), new URL("a:b"), null, "", 0, true, ...objects])
      expect(text(body, plain)).toEqual(Result.succeed(JSON.stringify(plain)))
      expect(Schema.decodeUnknownSync(body.form ?? schema)(plain)).toEqual(plain)
    }
    expect(Result.isFailure(Body.json(schema).write(value(1n)))).toBe(true)
    expect(text(Body.exact(Body.json(schema)), value(1n))).toEqual(
      Result.succeed(JSON.stringify(value("1")).replace('"1"', "1"))
    )
  })

  it("is rejected where its type does not say what it is as JSON", () => {
    const { write } = Body.json(Schema.instanceOf(Point))
    expect(String(write(new Point({ at: new Date() })))).toContain("Expected JSON")
  })
})

describe("the work of alternatives in one another", () => {
  it("reads and writes 800 levels of a plain union", () => {
    const next = Schema.optionalKey(Schema.suspend((): Member => Node))
    const Node = Schema.Union([Struct({ next, a: Schema.Finite }), Struct({ next, b: Schema.Date })])
    const { form = Node, write } = Body.json(Node)
    const levels = (length: number) => Array.from({ length }).reduce<object>((next) => ({ next, a: 1 }), { a: 1 })
    for (const run of [Schema.decodeUnknownResult(form), Schema.encodeUnknownResult(form)])
      expect(run(levels(800))).toEqual(Result.succeed(levels(800)))
    expect(Result.isSuccess(write(levels(300)))).toBe(true)
  })

  const inResult = (result: object) => ({ result })
  const kinds: Readonly<Record<string, Nesting>> = {
    oneOf: [oneOf],
    anyOf: [anyOf],
    "oneOf and others": [(members) => orUnknown(oneOf(members))],
    "anyOf in oneOf": [(members) => oneOf([anyOf(members), ...members])],
    "oneOf in anyOf": [(members) => anyOf([...members, oneOf(members)])],
    "a plain union in JSON": [Schema.Union, Body.json],
    "a plain union in an envelope": [Schema.Union, Envelope.withResult, inResult],
    "one with all digits": [Schema.Union, (schema) => Body.exact(Envelope.withResult(schema)), inResult]
  }
  const leaves = [{ v: 1 }, { v: 1, z: 1 }, { z: 1 }, { v: "text" }, { v: 1, a: 1, c: 1 }]
  const cases = Object.entries(kinds).flatMap(([name, nesting]) =>
    ["strict", "tolerant"].map((reading) => [name, reading, nesting] as const)
  )
  it.each(cases)("is linear: %s, %s", (_, reading, nesting) => {
    for (const leaf of leaves) {
      const work = workOf(nesting, reading === "strict", leaf)
      const [less, more] = [work(32), work(64)]
      expect(more).toBeLessThanOrEqual(2.2 * less + 20)
      expect(less).toBeLessThan(32 * 200)
    }
  })
})
