import * as Option from "effect/Option"
import * as Net from "node:net"
import { canonical } from "../internal/address.ts"

/** What a proxy says of the caller, as far as it is to be believed. */
export interface Caller {
  /** The caller's address; absent when not even the socket has one. */
  readonly address: string | undefined
  /** Whether the caller spoke TLS to the proxy. */
  readonly isSecure: boolean
}

/** The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. */
export interface TrustedProxies {
  /** The caller behind a request: `peer` is who is connected. */
  readonly caller: (peer: string | undefined, headers: { readonly [name: string]: string | undefined }) => Caller
}

const family = (address: string) => (Net.isIPv6(address) ? "ipv6" : "ipv4")

/**
 * Proxies by address (`10.0.0.1`) and range (`10.0.0.0/8`, `fd00::/8`); `None` when one is neither.
 *
 * `X-Forwarded-For` is read from its end, where the nearest proxy wrote, over all that are trusted: what stands before
 * the first that is not can be made up by anyone. An address may come with a port.
 */
export const make = (proxies: ReadonlyArray<string>): Option.Option<TrustedProxies> => {
  const list = new Net.BlockList()
  for (const proxy of proxies) {
    const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(proxy) ?? []
    if (Net.isIP(address) === 0) return Option.none()
    if (bits === undefined) list.addAddress(address, family(address))
    else if (Number(bits) > (Net.isIPv6(address) ? 128 : 32)) return Option.none()
    else list.addSubnet(address, Number(bits), family(address))
  }
  const isTrusted = (address: string) => Net.isIP(address) !== 0 && list.check(address, family(address))

  return Option.some({
    caller: (peer, headers) => {
      if (peer === undefined || !isTrusted(peer)) return { address: peer, isSecure: false }
      const hops = (headers["x-forwarded-for"] ?? "").split(",").map((hop) => canonical(hop.trim()))
      let address = peer
      for (let hop = hops.pop(); hop !== undefined && Net.isIP(hop) !== 0 && isTrusted(address); hop = hops.pop()) {
        address = hop
      }
      return { address, isSecure: headers["x-forwarded-proto"]?.split(",").at(-1)?.trim().toLowerCase() === "https" }
    }
  })
}
