import { assert, describe, expect, it } from "@effect/vitest"
import { DateTime, Equal, Schema } from "effect"
import { ApiKey } from "@cloud-management/core"
import { Envelope, Operation } from "@cloud-management/client"
import * as Organizations from "@cloud-management/core/Organization"
import * as Endpoint from "@cloud-management/core/ReversePrivateEndpoint"
import { registry as operations, seeded } from "../../client/test/Stub.ts"

const isCodec = (value: unknown): value is Schema.Codec<unknown, unknown> => Schema.isSchema(value)

const { ApiKeyId } = ApiKey
const { ByocConfig, Organization, OrganizationId, PrivateEndpoint } = Organizations

const { ReversePrivateEndpointId, ServiceId } = Endpoint
const modules = [ApiKey, Envelope, Organizations, Endpoint]
const registry = operations.map((operation) => [Operation.nameOf(operation), operation] as const)
const all: ReadonlyArray<readonly [name: string, schema: Schema.Codec<unknown, unknown>]> = [
  ...modules.flatMap((module) =>
    Object.entries<unknown>(module).flatMap(([name, value]) => (isCodec(value) ? [[name, value] as const] : []))
  ),
  ["withResult", Envelope.withResult(Schema.Array(Schema.String)).schema],
  ...registry.map(([name, { success }]) => [name, success.schema] as const),
  ...registry.flatMap(([name, { params }]) => (params ? [[`parameters of ${name}`, params] as const] : []))
]

const decode = <A, I>(schema: Schema.Codec<A, I>, value: unknown) => Schema.decodeUnknownSync(schema)(value)

describe("every schema", () => {
  for (const [name, schema] of all) {
    it.prop(
      `${name}: what is encoded and sent as JSON decodes to itself`,
      [schema],
      ([value]) => {
        const text = JSON.stringify(Schema.encodeSync(schema)(value))
        // not `toEqual`: JSON writes -0 as 0
        assert.isTrue(Equal.equals(decode(schema, JSON.parse(text)), value), text)
      },
      seeded(100)
    )
  }
})

const id = "12345678-1234-1234-1234-123456789012"

const optional = {
  Organization: { section: "2.2", schema: Organization, required: { id } },
  PrivateEndpoint: { section: "2.2", schema: PrivateEndpoint, required: { id: "pe-1" } },
  ByocConfig: { section: "2.2", schema: ByocConfig, required: { id: "byoc-1" } },
  ReversePrivateEndpoint: { section: "2.3", schema: Endpoint.ReversePrivateEndpoint, required: { id } },
  Success: { section: "2.1", schema: Envelope.Success, required: {} },
  Failure: { section: "7", schema: Envelope.Failure, required: { error: "NOT_FOUND: Key is not found" } }
}

describe("a field that may be absent", () => {
  for (const [of, { required, schema, section }] of Object.entries(optional)) {
    const codec: Schema.Codec<object, object> = schema
    for (const field of Object.keys(schema.fields).filter((field) => !Object.hasOwn(required, field))) {
      it.prop(
        `${section}: ${field} of ${of} is absent, absent for null, or decodes`,
        [schema],
        ([value]) => {
          const encoded = Schema.encodeSync(codec)(value)
          const { [field]: _, ...rest } = { ...encoded } as Readonly<Record<string, unknown>>
          const absent = decode(codec, rest)
          expect(Object.keys(absent)).toEqual(Object.keys(rest))
          expect(decode(codec, { ...rest, [field]: null })).toStrictEqual(absent)
          expect(decode(codec, encoded)).toEqual(value)
          for (const other of [undefined, true]) {
            expect(() => decode(codec, { ...rest, [field]: other })).toThrow(`at ["${field}"]`)
          }
        },
        seeded(20)
      )
    }
  }

  it.each<[title: string, schema: Schema.Codec<object, object>]>([
    ["2.2: only the id of an organization is required", Organization],
    ["2.3: only the id of a reverse private endpoint is required", Endpoint.ReversePrivateEndpoint]
  ])("%s", (_, schema) => {
    expect(() => decode(schema, {})).toThrow('Missing key\n  at ["id"]')
    expect(() => decode(schema, { id: null })).toThrow('at ["id"]')
    expect(decode(schema, { id })).toStrictEqual({ id })
  })

  it("2.2: createdAt is an instant, whatever the offset it is written in", () => {
    for (const createdAt of ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z", "2026-01-01T01:00:00+01:00"]) {
      const organization = decode(Organization, { id, createdAt })
      expect(organization.createdAt).toEqual(DateTime.makeUnsafe("2026-01-01T00:00:00Z"))
      expect(Schema.encodeSync(Organization)(organization)).toEqual({ id, createdAt: "2026-01-01T00:00:00.000Z" })
    }
    expect(() => decode(Organization, { id, createdAt: "yesterday" })).toThrow('at ["createdAt"]')
  })
})

describe("an open set of strings", () => {
  it.prop(
    "3: the status Ready, and any other, is read as it stands",
    { status: Schema.String, type: Schema.String, mskAuthentication: Schema.String },
    (sets) => {
      expect(decode(Endpoint.ReversePrivateEndpoint, { id, ...sets })).toStrictEqual({ id, ...sets })
      expect(decode(Endpoint.ReversePrivateEndpoint, { id, status: "Ready" }).status).toBe("Ready")
    },
    seeded(100)
  )
})

const hex = (length: number) => Schema.String.check(Schema.isPattern(new RegExp(`^[0-9a-fA-F]{${length}}$`)))

describe.each([
  { section: "2.2", Id: OrganizationId },
  { section: "2.4", Id: ApiKeyId },
  { section: "2.3", Id: ServiceId },
  { section: "2.3", Id: ReversePrivateEndpointId }
])("an ID", ({ Id, section }) => {
  const name = Id.identifier
  const schema: Schema.Codec<unknown, unknown> = Id
  it(`says what is wrong when it is made: ${name}`, () => {
    expect(Id.make("12345678-1234-1234-1234-123456789012")).toBe("12345678-1234-1234-1234-123456789012")
    expect(() => Id.make("nope")).toThrow(
      new TypeError(`${name} must be a UUID (8-4-4-4-12 hexadecimal digits), not "nope"`)
    )
    expect(Id.make("nope", { disableChecks: true })).toBe("nope")
  })

  it.prop(
    `${section}: ${name} is a UUID of any version and variant, in any case, and kept as it is`,
    [hex(8), hex(4), hex(4), hex(4), hex(12)],
    (parts) => {
      const text = parts.join("-")
      expect(decode(schema, text)).toBe(text)
      expect(Schema.encodeSync(schema)(text)).toBe(text)
    },
    seeded(100)
  )

  it.each([
    "",
    ".",
    "12345678123412341234123456789012",
    "12345678-1234-1234-1234-12345678901",
    "12345678-1234-1234-1234-1234567890123",
    "12345678-1234-1234-1234-12345678901g",
    " 12345678-1234-1234-1234-123456789012",
    "12345678-1234-1234-1234-123456789012\n",
    "urn:uuid:12345678-1234-1234-1234-123456789012",
    "12345678-1234-1234-1234-123456789012/..",
    "１2345678-1234-1234-1234-123456789012",
    null,
    undefined,
    ["12345678-1234-1234-1234-123456789012"]
  ])(`${name} is not %j`, (text) => {
    expect(() => decode(schema, text)).toThrow(/^Expected (string|a UUID)/)
  })
})
