import type { Dice } from "../fixtures/Dice.ts"
import type { Key, Tenant } from "./Tenant.ts"

/** Requests of one connection, from an address, each with the status that the model has for it. */
export interface Turn {
  readonly address: string
  readonly text: string
  readonly statuses: ReadonlyArray<number>
}

/** Proxies that the service trusts. */
export const trusted = "127.251.0.0/16"

/** Failed authentications of one address with one key ID, after which the pair is refused. */
const limit = 20
/** Most hops that are looked at. */
const maxHops = 32

/** The same address, as different proxies write it. */
const spell = (dice: Dice, address: string) =>
  dice.pick([address, `${address}:${dice.below(65536)}`, `::ffff:${address}`, `[::FFFF:${address}]:1`])

const isTrusted = (address: string) => address.startsWith("127.251.")

/**
 * `X-Forwarded-For` of a caller: hops that it made up, its own address, and those of trusted proxies. Behind as many
 * proxies as are looked at, a trusted address is the caller itself, whatever stands before it.
 */
const forwarded = (dice: Dice, caller: string) => {
  const count = isTrusted(caller) ? maxHops - 1 : dice.below(maxHops)
  const proxies = Array.from({ length: count }, () => `127.251.${dice.below(256)}.${dice.below(256)}`)
  const forged = dice.pick([
    "",
    "127.251.0.1,".repeat(dice.below(500)),
    "::,".repeat(dice.below(4000)),
    `${dice.text(dice.below(100), 0x2d, 0x7e)},`,
    `198.51.100.${dice.below(256)},`
  ])
  return forged + [caller, ...proxies].map((hop) => spell(dice, hop)).join(dice.pick([",", ", "]))
}

const ask = ({ id, secret }: Key, headers: ReadonlyArray<string>) =>
  [
    "GET /v1/organizations HTTP/1.1",
    "Host: fuzz",
    `Authorization: Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
    ...headers,
    "",
    ""
  ].join("\r\n")

/**
 * Guesses at the secret of a key from the n-th address, directly or behind proxies: as many as are allowed, with the right
 * secret in between, then some more and the right one, which are refused. Another key of the address is let in, and the
 * key at another address.
 */
export const make = (dice: Dice, tenant: Tenant, n: number): ReadonlyArray<Turn> => {
  const isBehind = dice.chance(0.7)
  const network = isBehind ? dice.pick(["10.0", "127.251"]) : "127.252"
  const caller = `${network}.${(n >> 8) & 255}.${n & 255}`
  const turn = (key: Key, statuses: ReadonlyArray<number>, from = caller): Turn => {
    const address = isBehind ? `127.251.1.${1 + dice.below(250)}` : from
    const headers = () => (isBehind ? [`X-Forwarded-For: ${forwarded(dice, from)}`] : [])
    const text = statuses.map((_, i) =>
      ask(key, [...headers(), ...(i === statuses.length - 1 ? ["Connection: close"] : [])])
    )
    return { address, text: text.join(""), statuses }
  }
  const times = (count: number, status: number) => Array.from({ length: count }, () => status)
  const right = tenant.main
  const wrong = { ...right, secret: dice.text(1 + dice.below(20)) }
  const [spare] = tenant.spares
  const before = dice.below(limit)
  return [
    ...(before === 0 ? [] : [turn(wrong, times(before, 401))]),
    turn(right, [200]),
    turn(wrong, times(limit - before, 401)),
    turn(dice.chance(0.5) ? right : wrong, times(1 + dice.below(8), 429)),
    turn(right, [429]),
    turn(right, [200], isBehind ? "192.0.2.1" : "127.253.0.1"),
    ...(spare === undefined ? [] : [turn(spare, [200])])
  ]
}
