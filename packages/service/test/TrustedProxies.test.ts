import { describe, expect, it, vi } from "@effect/vitest"
import { Option } from "effect"
import * as Net from "node:net"
import { TrustedProxies } from "@cloud-management/service/node"

const proxies = Option.getOrThrow(TrustedProxies.make(["10.0.0.0/8", "192.0.2.7", "fd00::/8"]))

it.each<[what: string, peer: string | undefined, forwarded: string | undefined, address: string | undefined]>([
  ["who is connected, without a proxy", "203.0.113.9", undefined, "203.0.113.9"],
  ["who is connected, whatever a stranger sends", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["whom a trusted address names", "192.0.2.7", "198.51.100.1", "198.51.100.1"],
  ["whom a trusted range names", "10.1.2.3", "198.51.100.1", "198.51.100.1"],
  ["whom a trusted proxy of a dual-stack socket names", "::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1"],
  ["whom a trusted proxy of IPv6 names", "fd00::1", "2001:db8::1", "2001:db8::1"],
  ["the last that is not trusted", "10.0.0.1", "198.51.100.1, 203.0.113.9, 10.0.0.2, 10.0.0.3", "203.0.113.9"],
  ["not what stands before the last that is not trusted", "10.0.0.1", "10.0.0.9, 203.0.113.9", "203.0.113.9"],
  ["the first hop, when all are trusted", "10.0.0.1", "10.0.0.2, 10.0.0.3", "10.0.0.2"],
  ["without the port that a proxy adds", "10.0.0.1", "198.51.100.1:555", "198.51.100.1"],
  ["without the port of IPv6", "10.0.0.1", "[2001:DB8::1]:443, 10.0.0.2:80", "2001:db8::1"],
  ["in one form, however a proxy writes it", "10.0.0.1", "2001:DB8:0:0::1, [::ffff:10.0.0.2]", "2001:db8::1"],
  ["the nearest known, when a hop only looks like an address", "10.0.0.1", "[::1]/x, ::1]/x[, 10.0.0.2", "10.0.0.2"],
  ["the proxy, when it names nobody", "10.0.0.1", undefined, "10.0.0.1"],
  ["the proxy, when it names no address", "10.0.0.1", "unknown", "10.0.0.1"],
  ["the nearest known, when a hop is no address", "10.0.0.1", "198.51.100.1, evil\u0000, 10.0.0.2", "10.0.0.2"],
  ["the proxy, when the list ends with nothing", "10.0.0.1", "198.51.100.1,", "10.0.0.1"],
  ["unknown, when the socket has no address", undefined, "198.51.100.1", undefined]
])("the caller is %s", (_, peer, forwarded, address) => {
  expect(proxies.caller(peer, { "x-forwarded-for": forwarded }).address).toBe(address)
})

it.each([
  ["::/0", "203.0.113.9", false],
  ["::/0", "::ffff:203.0.113.9", false],
  ["0.0.0.0/0", "::ffff:203.0.113.9", true],
  ["0.0.0.0/0", "2001:db8::1", false],
  ["::ffff:10.0.0.0/104", "10.0.0.1", true],
  ["::ffff:10.0.0.1", "::ffff:10.0.0.1", true]
])("the range %s has the proxy %s: %s", (range, peer, isTrusted) => {
  const { address } = Option.getOrThrow(TrustedProxies.make([range])).caller(peer, { "x-forwarded-for": "192.0.2.1" })
  expect(address === "192.0.2.1").toBe(isTrusted)
})

describe("a header of 16 kB", () => {
  it.each<[what: string, forwarded: string, address: string, hops: number]>([
    ["costs one hop, when the last is not trusted", `${"::,".repeat(5200)}203.0.113.9`, "203.0.113.9", 1],
    ["costs 32 trusted hops, of which the last is the caller", `::1,${"fd00::2,".repeat(1800)}fd00::3`, "fd00::2", 32],
    ["costs one hop, when the last is no address", `${"::,".repeat(5200)}x`, "10.0.0.1", 1]
  ])("%s", (_, forwarded, address, hops) => {
    const check = vi.spyOn(Net.BlockList.prototype, "check")
    const parse = vi.spyOn(URL, "canParse")
    try {
      expect(proxies.caller("10.0.0.1", { "x-forwarded-for": forwarded }).address).toBe(address)
      // the peer is checked before it is believed, and where the walk begins
      expect(check.mock.calls.length).toBeLessThanOrEqual(2 + hops)
      expect(parse.mock.calls.length).toBeLessThanOrEqual(hops)
    } finally {
      vi.restoreAllMocks()
    }
  })

  it("costs nothing until the address is asked for", () => {
    const headers = {
      get "x-forwarded-for"(): string {
        throw new Error("read")
      }
    }
    expect(proxies.caller("10.0.0.1", headers).isSecure).toBe(false)
  })
})

it.each<[what: string, peer: string, proto: string | undefined, isSecure: boolean]>([
  ["as a trusted proxy says", "10.0.0.1", "https", true],
  ["in any case", "10.0.0.1", "HTTPS", true],
  ["as the nearest proxy says", "10.0.0.1", "http, https", true],
  ["not, when the nearest proxy says so", "10.0.0.1", "https, http", false],
  ["not, when a stranger says so", "203.0.113.9", "https", false]
])("the caller spoke TLS %s", (_, peer, proto, isSecure) => {
  expect(proxies.caller(peer, { "x-forwarded-proto": proto }).isSecure).toBe(isSecure)
})

it.each(["", "proxy.example.com", "10.0.0.0/33", "10.0.0.0/", "fd00::/129", "10.0.0.0/8/8", "10.0.0", "*"])(
  "%j is neither an address nor a range",
  (proxy) => {
    expect(TrustedProxies.make(["10.0.0.1", proxy])).toEqual(Option.none())
  }
)
