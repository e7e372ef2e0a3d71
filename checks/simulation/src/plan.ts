import { DateTime } from "effect"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { OrganizationId } from "@cloud-management/core/Organization"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import type { Document } from "@cloud-management/service/Seed"
import { epochMillis } from "./virtualTime.ts"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { Deadline } from "@cloud-management/client/Deadline"
import type { Retry } from "@cloud-management/client/Retry"
import * as Dice from "../../fixtures/Dice.ts"

/** Ids that show whose they are: `aaaaaaa1-0000-4000-8000-0000000000k2` is the second thing of kind k of the first tenant. */
export const uuid = (organization: number, kind: string, number: number) =>
  `aaaaaaa${organization}-0000-4000-8000-${kind.padEnd(10, "0")}${String(number).padStart(2, "0")}`

/** An organization of the run's content. Every text that the service may show of it holds its `marker`. */
const makeOrganization = (number: number) => ({
  name: String(number),
  marker: `tenant-${number}`,
  id: OrganizationId.make(uuid(number, "0", 0)),
  service: ServiceId.make(uuid(number, "5e", 1)),
  endpoint: ReversePrivateEndpointId.make(uuid(number, "e", 1))
})

export type Organization = ReturnType<typeof makeOrganization>

const makeKeys = (dice: Dice.Dice, organization: Organization) =>
  Array.from({ length: dice.int(2, 6) }, (_, index) => ({
    /** `1.2`: the second key of the first organization. */
    name: `${organization.name}.${index + 1}`,
    id: ApiKeyId.make(uuid(Number(organization.name), "c", index + 1)),
    organization,
    // the same in every run, so that the pattern by which a client redacts it is compiled once
    secret: `secret of ${organization.name}.${index + 1}`,
    enabled: !dice.chance(0.05),
    /** Time of day in milliseconds from which on the key is refused; `Infinity` for most. */
    expiresAt: dice.chance(0.1) ? epochMillis + Math.round(dice.between(-1000, 20_000)) : Infinity
  }))

export type Key = ReturnType<typeof makeKeys>[number]

const makeDocument = (organizations: ReadonlyArray<Organization>, keys: ReadonlyArray<Key>): Document => ({
  organizations: organizations.map((organization) => ({
    id: organization.id,
    name: `Organization of ${organization.marker}`,
    createdAt: "2025-01-01T00:00:00.000Z",
    privateEndpoints: [{ id: `pe-${organization.marker}`, description: organization.marker }],
    byocConfig: [{ id: `byoc-${organization.marker}`, accountName: organization.marker }],
    apiKeys: keys
      .filter((key) => key.organization === organization)
      .map(({ enabled, expiresAt, id, secret }) => ({
        id,
        name: `key of ${organization.marker}`,
        secret,
        state: enabled ? ("enabled" as const) : ("disabled" as const),
        expiresAt: expiresAt === Infinity ? null : DateTime.formatIso(DateTime.makeUnsafe(expiresAt))
      })),
    services: [
      {
        id: organization.service,
        name: `service of ${organization.marker}`,
        reversePrivateEndpoints: [
          {
            id: organization.endpoint,
            description: `endpoint of ${organization.marker}`,
            type: "VPC_ENDPOINT_SERVICE",
            dnsNames: [`${organization.marker}.example.com`],
            status: "Ready"
          }
        ]
      }
    ]
  }))
})

/** The request of a call. `key` is absent for an ID that no key has. */
export type Ask =
  | { readonly kind: "list" }
  | {
      readonly kind: "get"
      readonly organization: Organization
      readonly service: ServiceId
      readonly id: ReversePrivateEndpointId
      readonly exists: boolean
    }
  | { readonly kind: "create"; readonly organization: Organization; readonly name: string; readonly keyed: boolean }
  | {
      readonly kind: "delete"
      readonly organization: Organization
      readonly id: ApiKeyId
      readonly key: Key | undefined
    }

export type Step = ReturnType<typeof makeStep>
export type Client = ReturnType<typeof makeClient>

export const kinds = [
  "status",
  "status-after-send",
  "delay",
  "drop-before-send",
  "drop-after-send",
  "break",
  "hang",
  "hang-after-send",
  "truncate",
  "stall"
] as const

export type Kind = (typeof kinds)[number]

const shapes: NonEmptyReadonlyArray<(dice: Dice.Dice, keys: ReadonlyArray<Key>, self: number) => number> = [
  // each its successor, all around
  (_, keys, self) => (self + 1) % keys.length,
  // two and two one another
  (_, keys, self) => (self % 2 === 0 ? Math.min(self + 1, keys.length - 1) : self - 1),
  // all the same one
  () => 0,
  (dice, keys) => dice.int(0, keys.length - 1)
]

const makeAsk = (
  dice: Dice.Dice,
  key: Key,
  keys: ReadonlyArray<Key>,
  foreign: { readonly organization: Organization; readonly key: Key },
  victim: Key | undefined
): Ask => {
  const own = key.organization
  const nobody = dice.int(50, 99)
  if (dice.chance(0.25)) return { kind: "list" }
  if (dice.chance(0.25)) {
    const get = (organization: Organization, { endpoint, service }: Organization, exists = true): Ask => ({
      kind: "get",
      organization,
      service,
      id: endpoint,
      exists
    })
    const missing = ReversePrivateEndpointId.make(uuid(Number(own.name), "e", nobody))
    return dice.pick<Ask>([
      get(own, own),
      get(own, own),
      get(own, { ...own, endpoint: missing }, false),
      get(own, foreign.organization, false),
      get(foreign.organization, foreign.organization)
    ])
  }
  if (dice.chance(0.3)) {
    const organization = dice.chance(0.1) ? foreign.organization : own
    return { kind: "create", organization, name: `thing of ${organization.marker}`, keyed: dice.chance(0.5) }
  }
  const named = (target: Key | undefined, organization = own): Ask => {
    const id = target?.id ?? uuid(Number(own.name), "c", nobody)
    return { kind: "delete", organization, id: ApiKeyId.make(dice.chance(0.1) ? id.toUpperCase() : id), key: target }
  }
  const roll = dice.next()
  if (roll < 0.08) return named(key)
  if (roll < 0.16) return named(undefined)
  if (roll < 0.22) return named(foreign.key)
  if (roll < 0.28) return named(foreign.key, foreign.organization)
  return named(roll < 0.4 ? dice.pick([key, ...keys]) : victim)
}

const makeRetry = (dice: Dice.Dice): Retry => ({
  attempts: dice.pick([1, 2, 3, 3, 3, 5, 10]),
  base: dice.pick([1, 50, 100, 100, 500]),
  baseRateLimited: dice.pick([100, 500, 500, 2000]),
  cap: dice.pick([200, 2000, 20_000]),
  maxHint: dice.pick([1000, 10_000, 60_000]),
  budget: {
    capacity: dice.pick([500, 500, 40, 15, 5, 0]),
    retry: dice.pick([5, 5, 1]),
    timeout: 10,
    success: dice.pick([1, 1, 0, 3])
  }
})

const makeDeadline = (dice: Dice.Dice): Deadline => ({
  attempt: dice.pick([200, 1000, 3000, 10_000]),
  total: dice.pick([500, 5000, 20_000, 60_000]),
  stall: 60_000
})

const makeStep = (dice: Dice.Dice, ask: Ask) => ({
  /** Milliseconds of thinking before it. */
  pause: dice.chance(0.5) ? 0 : Math.round(dice.between(0, 2000)),
  ask,
  retry: dice.chance(0.1) ? { attempts: dice.int(1, 4), cap: 300 } : {},
  deadline: dice.chance(0.1) ? { total: dice.pick([100, 2000, 30_000]) } : {},
  /** After so many milliseconds the caller loses interest. */
  interruptAfter: dice.chance(0.06) ? Math.round(dice.between(0, 3000)) : undefined
})

const makeClient = (dice: Dice.Dice, name: string, key: Key, ask: () => Ask) => {
  const pacing = dice.pick(["none", "none", "none", "adaptive", "fixed"] as const)
  return {
    name,
    key,
    retry: makeRetry(dice),
    deadline: makeDeadline(dice),
    pacing: pacing === "fixed" ? { limit: dice.int(1, 5), window: dice.pick([100, 1000, 5000]) } : pacing,
    fibers: Array.from({ length: dice.pick([1, 1, 2, 3]) }, () =>
      Array.from({ length: dice.int(1, 3) }, () => makeStep(dice, ask()))
    )
  }
}

/** How often what goes wrong, as shares of all requests. */
const makeWeather = (dice: Dice.Dice) => {
  const calm = dice.chance(0.1)
  const some = (share: number, most: number) => (calm || !dice.chance(share) ? 0 : dice.between(0, most))
  const chosen = kinds.filter(() => dice.chance(0.5))
  return {
    faults: some(0.9, 0.7),
    kinds: [chosen[0] ?? dice.pick(kinds), ...chosen.slice(1)] as const,
    /** Requests that arrive late, perhaps after their sender gave up. */
    late: some(0.4, 0.2),
    /** Steps of the store that fail, half of them after they took effect. */
    store: some(0.4, 0.15),
    /** Longest usual latency of each direction, and of a step of the store, in milliseconds. */
    latency: dice.pick([0, 1, 20, 300]),
    storeLatency: dice.pick([0, 0, 2, 50]),
    /** Requests that the service drops when the sender goes away. */
    direct: dice.pick([0, 0.5, 1])
  }
}
export type Weather = ReturnType<typeof makeWeather>

/** All that a run is made of, apart from the dice that are rolled while it lasts. */
export const make = (seed: number) => {
  const dice = Dice.make(`plan ${seed}`)
  const organizations = Array.from({ length: dice.int(2, 3) }, (_, index) => makeOrganization(index + 1))
  const keysOf = new Map(organizations.map((organization) => [organization, makeKeys(dice, organization)]))
  const keys = [...keysOf.values()].flat()

  const clients = organizations.flatMap((organization, number) => {
    const own = keysOf.get(organization) ?? []
    const other = organizations[(number + 1) % organizations.length] ?? organization
    const shape = dice.pick(shapes)
    return own.flatMap((key, self) => {
      const foreign = { organization: other, key: keysOf.get(other)?.[0] ?? key }
      const ask = () => makeAsk(dice, key, own, foreign, own[shape(dice, own, self)])
      return Array.from({ length: dice.pick([0, 1, 1, 2]) }, (_, twin) =>
        makeClient(dice, `${key.name}${twin === 0 ? "a" : "b"}`, key, ask)
      )
    })
  })

  return {
    organizations,
    keys,
    document: makeDocument(organizations, keys),
    rateLimit: dice.chance(0.4)
      ? { limit: dice.int(1, 8), window: dice.pick(["1 second", "5 seconds", "10 seconds"] as const) }
      : undefined,
    clients,
    weather: makeWeather(dice),
    yieldRate: dice.pick([0, 0, 0.002, 0.02, 0.1]),
    jumps: dice.chance(0.15)
      ? Array.from({ length: dice.int(1, 3) }, () => ({
          at: dice.between(0, 10_000),
          by: Math.round(dice.between(-30_000, 30_000))
        }))
      : []
  }
}

export type Plan = ReturnType<typeof make>
