import * as Option from "effect/Option"
import * as Net from "node:net"
import { canonical } from "../frame/wire/address.ts"

/** The caller, as far as trusted proxies identify it. */
interface Caller {
  /** The caller's address, resolved when it is read; absent if even the socket has none. */
  readonly address: string | undefined
  /** Whether the caller used TLS to the proxy. */
  readonly isSecure: boolean
}

/** The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. */
export interface TrustedProxies {
  /** Returns the caller behind a request; `peer` is the address of the connected peer. */
  readonly caller: (peer: string | undefined, headers: { readonly [name: string]: string | undefined }) => Caller
}

const family = (address: string) => (Net.isIPv6(address) ? "ipv6" : "ipv4")

/** Whoever connects to a Unix socket. */
const unix = "unix"

/**
 * Trusts proxies by address (`10.0.0.1`) and range (`10.0.0.0/8`, `fd00::/8`), and with `unix` those that connect to a Unix
 * socket; `None` if one is neither.
 *
 * **Details**
 *
 * `X-Forwarded-For` is read from its end, where the nearest proxy wrote, to the first hop that is not trusted: anyone
 * can forge the entries before it. After 32 trusted hops, the last of them counts as the caller. An address may include
 * a port.
 */
export const make = (proxies: ReadonlyArray<string>): Option.Option<TrustedProxies> => {
  const lists = { ipv4: new Net.BlockList(), ipv6: new Net.BlockList() }
  for (const proxy of proxies) {
    if (proxy === unix) continue
    const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(proxy) ?? []
    if (Net.isIP(address) === 0) return Option.none()
    const kind = family(address)
    const all = kind === "ipv6" ? 128 : 32
    const prefix = Number(bits ?? all)
    if (prefix > all) return Option.none()
    lists[kind].addSubnet(address, prefix, kind)
    // such a range can be one of IPv4 (RFC 4291 §2.5.5.2)
    if (kind === "ipv6" && prefix >= 96) lists.ipv4.addSubnet(address, prefix, kind)
  }
  const isTrusted = (text: string) => {
    if (text === unix) return proxies.includes(unix)
    // as a socket for both families has it: to a list, all of IPv4 would be in `::/0`
    const address = text.replace(/^::ffff:([\d.]+)$/i, "$1")
    return Net.isIP(address) !== 0 && lists[family(address)].check(address, family(address))
  }

  /** The first hop, from the end of the header, that is not trusted, or the last that is known. */
  const resolve = (peer: string, forwarded: string): string => {
    let address = peer
    let end = forwarded.length
    // a long header costs no more than a short one
    for (let hops = 0; hops < 32 && end >= 0 && isTrusted(address); hops++) {
      const comma = forwarded.lastIndexOf(",", end - 1)
      const hop = canonical(forwarded.slice(comma + 1, end).trim())
      if (Net.isIP(hop) === 0) break
      address = hop
      end = comma
    }
    return address
  }

  return Option.some({
    caller: (address, headers) => {
      const peer = address ?? unix
      if (!isTrusted(peer)) return { address, isSecure: false }
      const protocols = headers["x-forwarded-proto"] ?? ""
      return {
        get address() {
          return resolve(peer, headers["x-forwarded-for"] ?? "")
        },
        isSecure:
          protocols
            .slice(protocols.lastIndexOf(",") + 1)
            .trim()
            .toLowerCase() === "https"
      }
    }
  })
}
