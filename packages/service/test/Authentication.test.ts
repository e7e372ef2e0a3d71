import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as TestClock from "effect/testing/TestClock"
import * as ApiKeySecret from "@cloud-management/service/ApiKeySecret"
import * as Service from "@cloud-management/service/Service"
import { Store } from "@cloud-management/service/Store"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import { served } from "./Served.ts"

const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64")
const basic = (user: string, secret: string) => `Basic ${base64(`${user}:${secret}`)}`
const { deployKey, disabledKey, expiredKey, globexKey, unicodeKey } = Fixtures
const good = base64(`${deployKey.id}:${deployKey.secret}`)

type Organization = Store["Service"]["organization"]

/** What the service answers to a header, and the IDs that it asked a store about. */
const authenticate = Effect.fnUntraced(function* (header: string | undefined, organization?: Organization) {
  const asked: Array<string> = []
  const watched = (store: Store["Service"]): Partial<Store["Service"]> => ({
    organization: (id) => {
      asked.push(id)
      return (organization ?? store.organization)(id)
    }
  })
  const { handle } = Context.get(yield* Layer.build(served({}, watched)), Service.Service)
  const response = yield* handle({
    method: "GET",
    url: "/v1/organizations",
    headers: { authorization: header },
    address: () => undefined,
    content: () => Stream.empty,
    source: {}
  })
  const { error }: { readonly error?: string } = yield* Effect.promise(() => HttpServerResponse.toWeb(response).json())
  return { status: response.status, error, asked }
}, Effect.scoped)

const unknown = "UNAUTHORIZED: Key is not found"
const inactive = "UNAUTHORIZED: Key is not active"

describe("an Authorization header opens the service", () => {
  it.effect.each<[what: string, header: string, id: string]>([
    ["HTTP Basic with a key's ID and secret", basic(deployKey.id, deployKey.secret), deployKey.id],
    ["the key of another tenant", basic(globexKey.id, globexKey.secret), globexKey.id],
    ["the scheme in lower case", `basic ${good}`, deployKey.id],
    ["the scheme in upper case", `BASIC ${good}`, deployKey.id],
    ["the scheme in mixed case", `bAsIc ${good}`, deployKey.id],
    ["more than one space after the scheme", `Basic   ${good}`, deployKey.id],
    ["spaces at the end", `Basic ${good}  `, deployKey.id],
    ["a secret with colons and Unicode", basic(unicodeKey.id, unicodeKey.secret), unicodeKey.id],
    ["the ID in upper case", basic(deployKey.id.toUpperCase(), deployKey.secret), deployKey.id]
  ])("5: with %s", ([, header, id]) =>
    Effect.gen(function* () {
      expect(yield* authenticate(header)).toEqual({ status: 200, error: undefined, asked: [id] })
    })
  )
})

const bytes = (...values: ReadonlyArray<number>) => Buffer.from(values).toString("base64")

describe("an Authorization header is refused as that of an unknown key", () => {
  it.effect.each<[what: string, header: string | undefined]>([
    ["that is not there", undefined],
    ["that is empty", ""],
    ["of the scheme alone", "Basic"],
    ["of another scheme", `Bearer ${good}`],
    ["of a scheme that begins like Basic", `Basically ${good}`],
    ["of no scheme", good],
    ["without a space after the scheme", `Basic${good}`],
    ["with a tab after the scheme", `Basic\t${good}`],
    ["with something after the credentials", `Basic ${good} x`],
    ["with something before the scheme", `x Basic ${good}`],
    ["with credentials that are not base64", "Basic !!!!"],
    ["with base64 that is cut", `Basic ${good.slice(0, -1)}`],
    ["with base64 that is padded too much", `Basic ${good}====`],
    ["with base64 that has padding within", `Basic ${base64(`${deployKey.id}:`)}${base64(deployKey.secret)}==`],
    ["with base64 of no UTF-8", `Basic ${bytes(0xff, 0xfe, 0x3a, 0x61)}`],
    ["without a colon", `Basic ${base64(deployKey.id)}`],
    ["without an ID", basic("", deployKey.secret)],
    ["with an ID that is not a UUID", basic("admin", deployKey.secret)],
    ["with an unknown ID", basic("00000000-0000-4000-8000-000000000000", deployKey.secret)],
    ["with spaces around the ID", basic(` ${deployKey.id} `, deployKey.secret)],
    ["without a secret", basic(deployKey.id, "")],
    ["with a wrong secret", basic(deployKey.id, "wrong")],
    ["with a space after the secret", basic(deployKey.id, `${deployKey.secret} `)],
    ["with a secret in Latin-1", `Basic ${Buffer.from(`${unicodeKey.id}:pässwörd`, "latin1").toString("base64")}`],
    ["with a wrong secret of a disabled key", basic(disabledKey.id, "wrong")]
  ])("7: %s", ([, header]) =>
    Effect.gen(function* () {
      expect(yield* authenticate(header)).toMatchObject({ status: 401, error: unknown })
    })
  )

  it.effect.prop(
    "7: whatever else it is",
    [Schema.String, Schema.String],
    ([user, secret]) =>
      Effect.gen(function* () {
        for (const header of [user, `Basic ${user}`, basic(user, secret), basic(deployKey.id, secret)]) {
          const isRepeated = /^basic\b/i.test(header) && header.includes(",")
          const expected = isRepeated ? "BAD_REQUEST: More than one Authorization header" : unknown
          expect((yield* authenticate(header)).error).toBe(expected)
        }
      }),
    { arbitrary: { seed: "cloud-management", runs: 100 } }
  )
})

describe("bytes that are not UTF-8", () => {
  it.effect("7: do not pass for the character that stands for them", () =>
    Effect.gen(function* () {
      const store = Context.get(yield* Layer.build(InMemoryTransport.layerStore(Fixtures.seed)), Store)
      const key = yield* Effect.flatMap(store.apiKey(deployKey.id), Effect.fromOption)
      const odd = { ...key, digest: ApiKeySecret.digest(Redacted.make("a\ufffdb")) }
      const user = Buffer.from(`${deployKey.id}:`)
      const open = (secret: Buffer) =>
        authenticate(`Basic ${Buffer.concat([user, secret]).toString("base64")}`, (id) =>
          Effect.map(store.organization(id), (lookup) => ({ ...lookup, caller: Option.some(odd) }))
        )
      expect((yield* open(Buffer.from("a\ufffdb"))).status).toBe(200)
      expect((yield* open(Buffer.from([0x61, 0xff, 0x62]))).error).toBe(unknown)
    })
  )
})

describe("a key that is known, with the right secret, from the millisecond of its expiry on", () => {
  it.effect("5: stays refused after its expiry when the clock is set back", () =>
    Effect.gen(function* () {
      const header = basic(expiredKey.id, expiredKey.secret)
      const expiry = Date.parse(expiredKey.expiresAt)
      yield* TestClock.setTime(expiry - 1)
      expect((yield* authenticate(header)).status).toBe(200)
      yield* TestClock.setTime(expiry)
      expect((yield* authenticate(header)).error).toBe(inactive)
      yield* TestClock.setTime(expiry - 3_600_000)
      expect((yield* authenticate(header)).error).toBe(inactive)
    })
  )
})

describe("authentication", () => {
  it.effect("asks the store about each request, and only about IDs", () =>
    Effect.gen(function* () {
      for (const [header, asked] of [
        [basic(deployKey.id, "wrong"), [deployKey.id]],
        [basic(deployKey.id, deployKey.secret), [deployKey.id]],
        ["x", []],
        [basic("x", "y"), []]
      ] as const) {
        expect((yield* authenticate(header)).asked).toEqual(asked)
      }
    })
  )
})
