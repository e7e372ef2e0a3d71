import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { DateTime, Effect, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Seed } from "@cloud-management/service"
import { Fixtures } from "@cloud-management/testing"

const id = (n: number) => `00000000-0000-0000-0000-${String(n).padStart(12, "0")}`
const secret = "s3cret-that-nobody-may-see"

const key = { id: id(2), name: "deploy", secret }
const endpoint = { id: id(4), type: "VPC_ENDPOINT_SERVICE", status: "Ready" }
const service = { id: id(3), reversePrivateEndpoints: [endpoint] }
const organization = { id: id(1), name: "Acme", apiKeys: [key], services: [service] }
const seed = (...organizations: ReadonlyArray<unknown>) => JSON.stringify({ organizations })

const refusal = Effect.fnUntraced(function* (text: string) {
  const error = yield* Effect.flip(Seed.parse(text))
  expect(error).toBeInstanceOf(Seed.InvalidSeed)
  expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(secret)
  return error.message
})

describe("a mistake in a seed is told by its place", () => {
  const inOne = (rest: object) => seed({ ...organization, ...rest })
  const inKey = (rest: object) => inOne({ apiKeys: [{ ...key, ...rest }] })
  const inEndpoint = (rest: object) =>
    seed({ ...organization, services: [{ ...service, reversePrivateEndpoints: [{ ...endpoint, ...rest }] }] })
  const atKey = '["organizations"][0]["apiKeys"][0]'
  const atEndpoint = '["organizations"][0]["services"][0]["reversePrivateEndpoints"][0]'

  const uuid = "Expected a UUID (8-4-4-4-12 hexadecimal digits)"
  const created = 'at ["organizations"][0]["createdAt"]'
  const date = "Expected a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z"
  const known = "Unknown field; known fields are id, name, secret, digest, state, expiresAt, createdAt, lastUsedAt"
  const years = "Expected a moment within the years 0000 to 9999 of UTC"
  const either = "Expected either a secret or its digest"
  it.effect.each<readonly [mistake: string, text: string, place: string]>([
    ["no object", `[${seed()}]`, "Expected a JSON object with the field organizations"],
    ["no organizations", "{}", 'Missing key\n  at ["organizations"]'],
    ["an organization without a name", seed({ id: id(1) }), 'Missing key\n  at ["organizations"][0]["name"]'],
    ["the second organization", seed(organization, { id: "x", name: "y" }), 'at ["organizations"][1]["id"]'],
    ["an ID that is not a UUID", inOne({ id: "acme" }), `${uuid}\n  at ["organizations"][0]["id"]`],
    ["a date that is none", inOne({ createdAt: "yesterday" }), 'at ["organizations"][0]["createdAt"]'],
    ["a day that there is not", inOne({ createdAt: "2036-02-31T00:00:00Z" }), `${date}\n  ${created}`],
    ["a moment after the year 9999", inOne({ createdAt: "9999-12-31T23:59:59-05:00" }), `${years}\n  ${created}`],
    ["a moment before the year 0 of UTC", inOne({ createdAt: "0000-01-01T00:00:00+01:00" }), `${years}\n  ${created}`],
    ["an expiry without an offset", inKey({ expiresAt: "2036-02-01T00:00" }), `at ${atKey}["expiresAt"]`],
    ["a private endpoint without an ID", inOne({ privateEndpoints: [{}] }), '["privateEndpoints"][0]["id"]'],
    ["a key that is its secret", inOne({ apiKeys: [secret] }), `at ${atKey}`],
    ["a key whose ID is not a UUID", inKey({ id: secret }), `at ${atKey}["id"]`],
    ["a key without a secret", inKey({ secret: undefined }), `${either}\n  at ${atKey}["secret"]`],
    ["a key with a secret and a digest", inKey({ digest: "0".repeat(64) }), `${either}\n  at ${atKey}["secret"]`],
    ["a secret in place of its digest", inKey({ secret: undefined, digest: secret }), `at ${atKey}["digest"]`],
    ["an empty secret", inKey({ secret: "" }), `at ${atKey}["secret"]`],
    ["a secret with a line break", inKey({ secret: `${secret}\n` }), `at ${atKey}["secret"]`],
    ["a secret that is no text", inKey({ secret: [secret] }), `at ${atKey}["secret"]`],
    ["a state that is none", inKey({ state: secret }), `Expected "enabled" | "disabled"\n  at ${atKey}["state"]`],
    ["a field of a key that nobody knows", inKey({ expires: secret }), `at ${atKey}["expires"]`],
    ["which fields there are", inKey({ expires: secret }), known],
    ["a field of an endpoint that nobody knows", inEndpoint({ region: "eu" }), `at ${atEndpoint}["region"]`],
    ["an expiry that is no date", inKey({ expiresAt: secret }), `at ${atKey}["expiresAt"]`],
    ["an endpoint without a type", inEndpoint({ type: undefined }), `Missing key\n  at ${atEndpoint}["type"]`],
    ["a NUL character in the name of an organization", inOne({ name: "\0" }), '[0]["name"]'],
    ...["description", "type", "status"].map(
      (field) =>
        [
          `a NUL character in the ${field} of an endpoint`,
          inEndpoint({ [field]: "\0" }),
          `NUL characters and unpaired surrogates\n  at ${atEndpoint}["${field}"]`
        ] as const
    ),
    ["half of a surrogate pair", inEndpoint({ description: "\ud83d" }), `at ${atEndpoint}["description"]`]
  ])("%s", function* ([, text, place]) {
    expect(yield* refusal(text)).toContain(place)
  })

  it.effect.each<[what: string, text: string, place: string]>([
    ["organization", seed({ ...organization, apiKeys: [], services: [] }, organization), '["organizations"][1]["id"]'],
    ["key", inOne({ apiKeys: [key, key] }), '["organizations"][0]["apiKeys"][1]["id"]'],
    ["service", inOne({ services: [service, { id: id(3) }] }), '["organizations"][0]["services"][1]["id"]'],
    [
      "endpoint",
      inOne({ services: [{ ...service, reversePrivateEndpoints: [endpoint, endpoint] }] }),
      '["organizations"][0]["services"][0]["reversePrivateEndpoints"][1]["id"]'
    ]
  ])("an ID of an %s that stands twice", function* ([what, text, place]) {
    expect(yield* refusal(text)).toBe(`another ${what} in this seed has this ID\n  at ${place}`)
  })

  it.effect("an ID that stands twice in another case, or in another organization", function* () {
    const lower = "abcdefab-0000-0000-0000-000000000000"
    const twice = [
      { ...key, id: lower },
      { ...key, id: lower.toUpperCase() }
    ]
    expect(yield* refusal(seed({ ...organization, apiKeys: twice }))).toContain("another key in this seed has this ID")
    expect(yield* refusal(seed(organization, { ...organization, id: id(9), services: [] }))).toContain(
      '["organizations"][1]["apiKeys"][0]["id"]'
    )
  })

  it.effect("but one ID may name services of two organizations, and endpoints of two services", function* () {
    const services = [service, { ...service, id: id(5) }]
    const other = { ...organization, id: id(9), apiKeys: [{ ...key, id: id(9) }], services }
    const { organizations } = yield* Seed.parse(seed(organization, other))
    expect(organizations.flatMap(({ services }) => services.map(({ id }) => id))).toEqual([id(3), id(3), id(5)])
  })
})

describe("a seed that is not JSON", () => {
  it.effect.each<[what: string, text: string]>([
    ["nothing", ""],
    ["text", secret],
    ["a document that breaks off", `{"organizations":[{"apiKeys":[{"secret":"${secret}"`],
    ["a missing comma after a secret", `{"organizations":[{"apiKeys":[{"secret":"${secret}" "name":"x"}]}]}`],
    ["a secret without quotes", `{"organizations":[{"apiKeys":[{\n"secret":${secret}}]}]}`],
    ["a line break in a secret", `{"secret":"${secret}\n"}`],
    ["something after the end", `${seed()} ${secret}`]
  ])("is told without a word of it: %s", function* ([, text]) {
    const message = yield* refusal(text)
    expect(message).toMatch(/^not JSON( at line \d+ column \d+)?$/)
  })

  it.effect("is told by line and column where the engine knows them", function* () {
    expect(yield* refusal(`{\n  "organizations": []\n  "more": "${secret}"\n}`)).toBe("not JSON at line 3 column 3")
  })
})

describe("a seed that is read", () => {
  const upper = (n: number) => `ABCDEFAB-0000-0000-0000-00000000000${n}`
  const lower = (n: number) => upper(n).toLowerCase()
  const name = "\u0001\t\n\u007f\ud83d\ude00\uffff"
  const foreseen = { ...endpoint, type: "OF_TOMORROW", status: "Sleeping" }
  const times = [
    { ...key, state: "disabled", expiresAt: "2026-01-01T01:00:00+01:00" },
    { ...key, id: id(7), expiresAt: null }
  ]
  it.effect.each<[what: string, given: object, read: object]>([
    [
      "has a value where the document has none",
      { id: id(1), name: "Acme", apiKeys: [{ id: id(2), secret }], services: [service] },
      {
        createdAt: DateTime.makeUnsafe("2026-01-01T00:00:00Z"),
        privateEndpoints: [],
        byocConfig: [],
        // not made now: the document may restore a key that was deleted since
        apiKeys: [{ name: "", state: "enabled", expiresAt: null, createdAt: null, lastUsedAt: null }],
        services: [
          { name: "", reversePrivateEndpoints: [{ ...endpoint, description: "", dnsNames: [], privateDnsNames: [] }] }
        ]
      }
    ],
    ["may have no keys and services", { id: id(1), name: "Acme" }, { apiKeys: [], services: [] }],
    [
      "has its ids in lower case",
      {
        id: upper(1),
        name: "ACME",
        apiKeys: [{ ...key, id: upper(2) }],
        services: [{ id: upper(3), reversePrivateEndpoints: [{ ...endpoint, id: upper(4) }] }]
      },
      {
        id: lower(1),
        name: "ACME",
        apiKeys: [{ id: lower(2) }],
        services: [{ id: lower(3), reversePrivateEndpoints: [{ id: lower(4) }] }]
      }
    ],
    ["keeps every other character", { ...organization, name }, { name }],
    [
      "takes states and expiry as they stand, in any offset",
      { ...organization, apiKeys: times },
      {
        apiKeys: [
          { state: "disabled", expiresAt: DateTime.makeUnsafe("2026-01-01T00:00:00Z") },
          { state: "enabled", expiresAt: null }
        ]
      }
    ],
    [
      "takes kinds and states that are not known yet",
      { ...organization, services: [{ ...service, reversePrivateEndpoints: [foreseen] }] },
      { services: [{ reversePrivateEndpoints: [foreseen] }] }
    ]
  ])("%s", function* ([, given, read]) {
    yield* TestClock.setTime(Date.UTC(2026, 0, 1))
    const { organizations } = yield* Seed.parse(seed(given))
    expect(organizations).toMatchObject([read])
  })

  it.effect("keeps its secrets redacted", function* () {
    const read = yield* Seed.parse(seed(organization))
    expect(JSON.stringify(read)).not.toContain(secret)
    expect(read.organizations[0]?.apiKeys.map((key) => key.secret && Redacted.value(key.secret))).toEqual([secret])
  })

  it.effect("is the same from a value as from text", function* () {
    const [value, text] = [yield* Seed.fromDocument(Fixtures.seed), yield* Seed.parse(JSON.stringify(Fixtures.seed))]
    const encode = Schema.encodeSync(Seed.Seed)
    expect(encode(value)).toEqual(encode(text))
    expect(encode(value)).toMatchObject(Fixtures.seed)
  })
})
