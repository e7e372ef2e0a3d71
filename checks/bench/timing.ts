/**
 * `npm run bench:timing`: whether the time of a refusal tells an ID that no key has from the ID of a key whose secret is
 * wrong, over a socket, and which endpoints another organization has.
 *
 * A round asks three times, in an order that chance decides: for an ID of nobody, for another such ID, which shows what
 * no difference looks like, and for that of a key. Shown is the median of the differences within the rounds, with the
 * interval that holds that of all rounds with 95 % confidence, from the order of the differences alone, and in how many
 * rounds the second took longer. `npm run bench:timing -- SEED` asks in the same order again.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Base64 from "effect/encoding/Base64"
import { Client } from "undici"
import type * as Seed from "@cloud-management/service/Seed"
import * as Child from "../fixtures/Child.ts"
import * as PostgresServer from "../fixtures/PostgresServer.ts"
import { endpointId, keyId, organizationId, serviceId, withKeys } from "../fixtures/Tenants.ts"

const seed = process.argv[2] ?? String(Date.now())
const keys = 1000
const rounds = 10_000
const warmUp = 2000

const kinds = ["unknown", "control", "known"] as const
type Times = Record<(typeof kinds)[number], number>

/** Only every third ID is that of a key, so that an index is searched in the same places for all of them. */
const content: Seed.Document = {
  organizations: [
    ...withKeys("a", 3 * keys).organizations.map((organization) => ({
      ...organization,
      apiKeys: (organization.apiKeys ?? []).filter((_, n) => n % 3 === 0)
    })),
    {
      id: organizationId("b"),
      name: "b",
      services: [
        {
          id: serviceId("b", 0),
          name: "",
          reversePrivateEndpoints: Array.from({ length: keys }, (_, n) => ({
            id: endpointId("b", 3 * n),
            description: "",
            type: "VPC_ENDPOINT_SERVICE",
            status: "Ready"
          }))
        }
      ]
    }
  ]
}
const place = (kind: keyof Times, n: number) => 3 * (n % keys) + { known: 0, unknown: 1, control: 2 }[kind]
const header = (kind: keyof Times, n: number) => {
  const id = keyId("a", place(kind, n))
  return `Basic ${Base64.encode(`${id}:wrong secret`)}`
}

/** The middle of numbers, and between which of them it is with 95 % confidence (binomial, as in the sign test). */
const middle = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (rank: number) => (sorted[Math.round(rank)] ?? NaN).toFixed(1)
  const [half, spread] = [(sorted.length - 1) / 2, 0.98 * Math.sqrt(sorted.length)]
  return { median: at(half), low: at(half - spread), high: at(half + spread) }
}

/** `ask` gives how long a refusal took, in µs. */
const compare = Effect.fnUntraced(function* (
  name: string,
  known: string,
  control: string,
  ask: (kind: keyof Times, n: number) => Effect.Effect<number>
) {
  const measured: Array<Times> = []
  for (let n = -warmUp; n < rounds; n++) {
    const times: Times = { unknown: 0, control: 0, known: 0 }
    for (const kind of yield* Random.shuffle(kinds)) times[kind] = yield* ask(kind, n + warmUp)
    if (n >= 0) measured.push(times)
  }
  console.log(
    `${name}: ${rounds} rounds, the median of a refusal ${middle(measured.map(({ unknown }) => unknown)).median} µs`
  )
  for (const [what, kind] of [[known, "known"] as const, [control, "control"] as const]) {
    const differences = measured.map((times) => times[kind] - times.unknown)
    const { high, low, median } = middle(differences)
    const longer = differences.filter((difference) => difference > 0).length / rounds
    console.log(
      `  ${what} takes ${median} µs longer (${low} to ${high}), in ${(100 * longer).toFixed(1)} % of the rounds`
    )
  }
})

/** Each request in the name of an address that has not failed often enough to be turned away for it. */
const overSocket = Effect.fnUntraced(function* (engine: string, database: Effect.Effect<string>) {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(content) })
  const args = ["--database", yield* database, "--seed", `${folder}/seed.json`, "--trusted-proxy", "127.0.0.1"]
  const { url } = yield* Child.serve(...args)
  const client = new Client(url)
  const ask = (path: string, headers: Record<string, string>, status: number) =>
    Effect.promise(async () => {
      const start = performance.now()
      const { body, statusCode } = await client.request({ method: "GET", path, headers })
      await body.dump()
      if (statusCode !== status) throw new Error(`HTTP ${statusCode}`)
      return (performance.now() - start) * 1000
    })
  yield* compare(`${engine}, over a socket`, "a key's ID", "another ID of nobody", (kind, n) => {
    const address = `10.${n >> 12}.${(n >> 4) & 0xff}.1`
    return ask("/v1/organizations", { authorization: header(kind, n), "x-forwarded-for": address }, 401)
  })
  const authorization = `Basic ${Base64.encode(`${keyId("a", 0)}:secret`)}`
  const service = `/v1/organizations/${organizationId("b")}/services/${serviceId("b", 0)}`
  yield* compare(`${engine}, endpoints of another organization`, "an endpoint", "another ID of none", (kind, n) =>
    ask(`${service}/pipesReversePrivateEndpoints/${endpointId("b", place(kind, n))}`, { authorization }, 403)
  )
  yield* Effect.promise(() => client.close())
}, Effect.scoped)

await Effect.runPromise(Random.withSeed(PostgresServer.onEach(overSocket), seed))
console.log(`seed ${seed}`)
