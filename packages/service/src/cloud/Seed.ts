import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { OrganizationId } from "@cloud-management/core/Organization"
import * as Endpoint from "@cloud-management/core/ReversePrivateEndpoint"
import { Moment } from "./Moment.ts"

/** RFC 9562 §4: hexadecimal digits compare without regard to case. What comes in is made lower case, and so kept. */
const lowerCase = <S extends Schema.Codec<string, string>>(id: S) =>
  Schema.String.pipe(Schema.decode(SchemaTransformation.toLowerCase()), Schema.decodeTo(id))

/** Every store gives it back as it was: PostgreSQL has no NUL character, UTF-8 no half of a surrogate pair. */
const storable = Schema.makeFilter((text: string) => !/[\0\p{Surrogate}]/u.test(text), {
  expected: "text without NUL characters and unpaired surrogates"
})
/** HTTP Basic takes it (RFC 7617 §2), or no client could sign in: a line break at the end is easily overlooked. */
const sendable = Schema.makeFilter((text: string) => /^[^\u0000-\u001f\u007f\p{Surrogate}]+$/u.test(text), {
  expected: "text that is not empty and has no control characters, such as a line break"
})
const Text = Schema.String.check(storable)
const text = Text.pipe(Schema.withDecodingDefaultKey(Effect.succeed("")))
const now = Effect.map(DateTime.now, DateTime.formatIso)
const list = <S extends Schema.Constraint>(item: S) =>
  Schema.Array(item).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))

/** An object of these fields, which are named where another one is refused. */
const object = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotate({
    messageUnexpectedKey: `Unknown field; known fields are ${Object.keys(fields).join(", ")}`
  })

/** Never shown, not even where it is refused. */
const hidden = <S extends Schema.Constraint>(text: S, label: string) =>
  Schema.optionalKey(Schema.RedactedFromValue(text, { label }))

const ApiKey = object({
  id: lowerCase(ApiKeyId),
  name: text,
  /** Plain text here; only its digest is kept. */
  secret: hidden(Schema.String.check(sendable), "keySecret"),
  /** In place of the secret: its SHA-256 in hexadecimal, as in an export. */
  digest: hidden(Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)), "digest"),
  state: Schema.Literals(["enabled", "disabled"]).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("enabled" as const))
  ),
  expiresAt: Schema.NullOr(Moment).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** Default: `null`, not known. A key that is restored was not made now, or its deletion would seem to come before. */
  createdAt: Schema.NullOr(Moment).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  lastUsedAt: Schema.NullOr(Moment).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
}).check(
  Schema.makeFilter(
    ({ digest, secret }) =>
      (secret === undefined) !== (digest === undefined) || {
        path: ["secret"],
        issue: "Expected either a secret or its digest"
      }
  )
)

const ReversePrivateEndpoint = object({
  ...Endpoint.ReversePrivateEndpoint.fields,
  id: lowerCase(Endpoint.ReversePrivateEndpointId),
  description: text,
  type: Endpoint.Type.check(storable),
  dnsNames: list(Schema.String),
  privateDnsNames: list(Schema.String),
  status: Endpoint.Status.check(storable)
})

const Service = object({
  id: lowerCase(Endpoint.ServiceId),
  name: text,
  reversePrivateEndpoints: list(ReversePrivateEndpoint)
})

const Organization = object({
  id: lowerCase(OrganizationId),
  name: Text,
  /** Default: when the seed is read. */
  createdAt: Moment.pipe(Schema.withDecodingDefaultKey(now)),
  privateEndpoints: list(object({ id: Schema.String, description: text })),
  byocConfig: list(object({ id: Schema.String, accountName: text })),
  apiKeys: list(ApiKey),
  services: list(Service)
})

/** The first record that stands twice, with its place. A store finds services and endpoints only along their paths. */
const duplicate = (seed: { readonly organizations: ReadonlyArray<typeof Organization.Type> }) => {
  const seen = new Set<string>()
  const places = seed.organizations.flatMap(({ apiKeys, id: owner, services }, o) => {
    const at = (kind: string, key: string, ...path: ReadonlyArray<string | number>) => ({
      kind,
      key,
      path: [o, ...path]
    })
    return [
      at("organization", owner),
      ...apiKeys.map(({ id }, k) => at("key", id, "apiKeys", k)),
      ...services.flatMap(({ id: service, reversePrivateEndpoints }, s) => [
        at("service", `${owner} ${service}`, "services", s),
        ...reversePrivateEndpoints.map(({ id }, e) =>
          at("endpoint", `${owner} ${service} ${id}`, "services", s, "reversePrivateEndpoints", e)
        )
      ])
    ]
  })
  const twice = places.find(({ key, kind }) => seen.size === seen.add(`${kind} ${key}`).size)
  if (twice === undefined) return true
  return { path: ["organizations", ...twice.path, "id"], issue: `another ${twice.kind} in this seed has this ID` }
}

/**
 * The content of a service: a document for `serve --seed`, the in-memory transport and tests.
 *
 * **Details**
 *
 * IDs become lower case. Missing optional fields get an empty value, so that responses contain every field of sections
 * 2.2 and 2.3 that is not specific to one kind of endpoint.
 */
export const Seed = object({ organizations: Schema.Array(Organization) })
  .annotate({ message: "Expected a JSON object with the field organizations" })
  .check(Schema.makeFilter(duplicate, { expected: "IDs that differ" }))
  .annotate({ identifier: "Seed" })
/** The content of a service. */
export interface Seed extends Schema.Schema.Type<typeof Seed> {}
/** The JSON form of a seed. */
export type Document = typeof Seed.Encoded

/** A document that is not a valid seed; the message names the place in it, and never contains a secret. */
export class InvalidSeed extends Data.TaggedError("InvalidSeed")<{ readonly message: string }> {}

/** A field that nobody knows is refused: a key with `expires` in place of `expiresAt` would never expire. */
const decode = (document: unknown): Effect.Effect<Seed, InvalidSeed> =>
  Effect.mapError(
    Schema.decodeUnknownEffect(Seed, { onExcessProperty: "error" })(document),
    ({ message }) => new InvalidSeed({ message })
  )

/** Reads a seed from a value, such as a literal in a test. */
export const fromDocument = (document: Document): Effect.Effect<Seed, InvalidSeed> => decode(document)

/**
 * Reads a seed from JSON text.
 *
 * **Example** (Parsing a seed with one key)
 *
 * ```ts
 * import * as Seed from "@cloud-management/service/Seed"
 *
 * const seed = Seed.parse(`{ "organizations": [{
 *   "id": "12345678-1234-1234-1234-123456789012", "name": "Acme",
 *   "apiKeys": [{ "id": "22345678-1234-1234-1234-123456789012", "name": "deploy", "secret": "s3cret" }]
 * }] }`)
 * ```
 */
export const parse = (json: string): Effect.Effect<Seed, InvalidSeed> =>
  Effect.try({
    try: (): unknown => JSON.parse(json),
    // the engine's message quotes the text around the fault, which can be a secret: only the place is kept
    catch: (error) => {
      const place = /line \d+ column \d+/.exec(String(error))?.[0]
      return new InvalidSeed({ message: `not JSON${place === undefined ? "" : ` at ${place}`}` })
    }
  }).pipe(Effect.flatMap(decode))
