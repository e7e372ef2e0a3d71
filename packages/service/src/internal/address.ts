/**
 * The one form of an IP address: IPv6 as the URL standard writes it, and IPv4 that is written as IPv6 as IPv4. Without
 * a zone, and without the port that some proxies add. What is no address stays as it is.
 */
export const canonical = (text: string): string => {
  const [, v4, v6 = text] = /^(?:([\d.]+)|\[(.*)\])(?::\d+)?$/.exec(text) ?? []
  if (v4 !== undefined) return v4
  const [, address] = /^([\da-f:.]+)(?:%.*)?$/i.exec(v6) ?? []
  const url = `http://[${address}]`
  if (!URL.canParse(url)) return text
  const { hostname } = new URL(url)
  const [, ...mapped] = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(hostname) ?? []
  if (mapped.length === 0) return hostname.slice(1, -1)
  return mapped.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join(".")
}

/** What one caller has to itself: an address, and of IPv6 all that begin with the same 64 bits. */
export const network = (canonical: string): string => {
  if (!canonical.includes(":")) return canonical
  const [left = [], right = []] = canonical.split("::").map((part) => part.split(":").filter((group) => group !== ""))
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0")
  return `${[...left, ...zeros, ...right].slice(0, 4).join(":")}::/64`
}
