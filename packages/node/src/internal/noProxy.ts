import * as Net from "node:net"
import { domainToASCII } from "node:url"

type Matches = (host: string) => boolean

const family = (address: string) => (Net.isIPv6(address) ? "ipv6" : "ipv4")
const unbracketed = (host: string) => (host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host)
/** Without the dot that ends the fully qualified form of a name. */
const undotted = (host: string) => (host.endsWith(".") ? host.slice(0, -1) : host)

/**
 * An address with the number of bits that count, or without. As addresses, so that `::1` is `0:0:0:0:0:0:0:1`. A range of
 * IPv6 as wide as `::/0` is for IPv6 alone, although Node.js counts IPv4 to `::ffff:0:0/96`.
 */
const ofAddresses = (host: string): Matches | undefined => {
  const [address = "", bits, ...rest] = unbracketed(host).split("/")
  if (Net.isIP(address) === 0 || rest.length > 0) return undefined
  const list = new Net.BlockList()
  if (bits === undefined) list.addAddress(address, family(address))
  else if (!/^\d{1,3}$/.test(bits) || Number(bits) > (Net.isIPv6(address) ? 128 : 32)) return undefined
  else list.addSubnet(address, Number(bits), family(address))
  const isForIPv4 = Net.isIPv4(address) || Number(bits ?? 128) >= 96
  return (host) => (Net.isIPv6(host) || (Net.isIPv4(host) && isForIPv4)) && list.check(host, family(host))
}

/** A name and those below it; only those below it after `*.`. */
const ofName = (host: string): Matches | undefined => {
  const isBelow = host.startsWith("*.")
  const name = undotted(domainToASCII(host.slice(isBelow ? 2 : host.startsWith(".") ? 1 : 0)))
  if (name === "" || name.includes("*") || host.includes("/")) return undefined
  return (host) => host.endsWith(`.${name}`) || (!isBelow && host === name)
}

const ofEntry = (entry: string): ((host: string, port: string) => boolean) | undefined => {
  const [, before = entry, port] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(entry) ?? []
  const matches = before === "*" ? () => true : (ofAddresses(before) ?? ofName(before))
  if (matches === undefined || port === undefined) return matches
  return (host, ofHost) => Number(port) === Number(ofHost) && matches(host)
}

const hostOf = ({ hostname }: URL) => undotted(unbracketed(hostname))

/** `localhost`, and addresses as a URL writes them. */
const loopback = /^(?:127(?:\.\d+){3}|::1|::ffff:7f[\da-f]{2}:[\da-f]+|(?:.*\.)?localhost)$/

/** Whether an origin is this machine, which no proxy of the environment is meant for. */
export const isLoopback = (origin: URL): boolean => loopback.test(hostOf(origin))

/**
 * Reads the value of `NO_PROXY`: entries with commas or white space between them, in any letter case. An entry is `*`, a
 * name, an address or a range of addresses (CIDR); a port may follow, and has to be that of the URL then. Names are not
 * resolved. `docs/library/transports.md` has the table.
 */
export const make = (value: string) => {
  const entries = value.split(/[\s,]/).filter((entry) => entry !== "")
  const read = entries.map((entry) => [entry, ofEntry(entry)] as const)
  return {
    /** Entries that are not in the grammar, and match nothing. */
    ignored: read.flatMap(([entry, matches]) => (matches === undefined ? [entry] : [])),
    /** Whether an origin is asked without a proxy. */
    matches: (origin: URL) => {
      const port = origin.port || (origin.protocol === "https:" ? "443" : "80")
      return read.some(([, matches]) => matches?.(hostOf(origin), port) === true)
    }
  }
}
