import type { HttpRequest } from "../HttpRequest.ts"

/** An address of IPv4 from its two halves in hexadecimal. */
const ipv4 = (halves: ReadonlyArray<string>) =>
  halves.flatMap((half) => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 255]).join(".")

/** IPv6 as URLs have it, IPv4 within IPv6 as IPv4; without a zone and a port. Any other text stays as it is. */
export const canonical = (text: string): string => {
  const [, v4, v6 = text] = /^(?:([\d.]+)|\[(.*)\])(?::\d+)?$/.exec(text) ?? []
  if (v4 !== undefined) return v4
  const [, address] = /^([\da-f:.]+)(?:%.*)?$/i.exec(v6) ?? []
  const url = `http://[${address}]`
  if (!URL.canParse(url)) return text
  const { hostname } = new URL(url)
  const [, ...mapped] = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(hostname) ?? []
  return mapped.length === 0 ? hostname.slice(1, -1) : ipv4(mapped)
}

/**
 * The addresses that one caller has to itself: one of IPv4, and of IPv6 all that begin with the same 64 bits. Where NAT64 puts
 * all of IPv4 below a few of those, it is the address that is translated (RFC 6052 §2.1), or all of an address in a prefix of a
 * network's own (RFC 8215).
 */
export const network = (canonical: string): string => {
  if (!canonical.includes(":")) return canonical
  const [left = [], right = []] = canonical.split("::").map((part) => part.split(":").filter((group) => group !== ""))
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0")
  const groups = [...left, ...zeros, ...right]
  const [first, second, third] = groups
  if (first === "64" && second === "ff9b") {
    if (third === "1") return canonical
    if (groups.slice(2, 6).every((group) => group === "0")) return ipv4(groups.slice(6))
  }
  return `${groups.slice(0, 4).join(":")}::/64`
}

export const ofCaller = (request: HttpRequest): string | undefined => {
  const address = request.address()
  return address === undefined ? undefined : canonical(address)
}
