import { describe, expect, it } from "@effect/vitest"
import * as NoProxy from "../src/internal/noProxy.ts"

/** The table of `docs/library/transports.md`, and what follows from it. */
const table: ReadonlyArray<[value: string, url: string, matches: boolean]> = [
  // nothing and everything
  ["", "http://example.com", false],
  ["*", "http://example.com", true],
  ["*:8080", "http://example.com:8080", true],
  // a name, and those below it
  ["example.com", "https://example.com", true],
  ["example.com", "https://api.example.com", true],
  ["example.com", "https://notexample.com", false],
  [".example.com", "https://example.com", true],
  ["*.example.com", "https://a.b.example.com", true],
  ["*.example.com", "https://example.com", false],
  ["localhost", "http://127.0.0.1:8080", false],
  // letter case, dots at the end, other scripts
  ["EXAMPLE.com", "https://Api.Example.COM", true],
  ["example.com.", "https://example.com", true],
  ["example.com", "https://example.com./", true],
  ["bücher.example", "https://bücher.example", true],
  ["my_host.internal", "http://my_host.internal", true],
  // ports
  ["example.com:8443", "https://example.com:8443", true],
  ["example.com:8443", "https://example.com", false],
  ["example.com:443", "https://example.com", true],
  ["example.com:443", "http://example.com", false],
  ["example.com:80", "http://example.com", true],
  ["example.com:0443", "https://example.com", true],
  // addresses
  ["192.0.2.7", "http://192.0.2.7", true],
  ["192.0.2.7", "http://0xC0.0.2.7", true],
  [".7", "http://192.0.2.7", false],
  ["::1", "http://[::1]:8080", true],
  ["0:0:0:0:0:0:0:1", "http://[::1]", true],
  ["[::1]:8080", "http://[::1]:8080", true],
  ["192.0.2.7", "http://[::ffff:192.0.2.7]", true],
  // ranges
  ["10.0.0.0/8", "http://10.255.0.1", true],
  ["192.0.2.0/25", "http://192.0.2.127", true],
  ["192.0.2.0/25", "http://192.0.2.128", false],
  ["0.0.0.0/0", "http://example.com", false],
  ["::/0", "http://[2001:db8::1]", true],
  ["::/0", "http://192.0.2.7", false],
  ["::ffff:0:0/96", "http://192.0.2.7", true],
  ["::ffff:192.0.2.7", "http://192.0.2.7", true],
  ["10.0.0.0/8", "http://10.example.com", false],
  ["[2001:db8::/32]:8443", "https://[2001:db8::1]:8443", true],
  // several, with whatever is between them
  [" a.example\t,\nb.example ", "http://b.example", true]
]

/** Entries that others may know: they match nothing, and are reported. */
const ignored: ReadonlyArray<[entry: string, url: string]> = [
  ["192.168.*", "http://192.168.0.1"],
  ["*example.com", "http://example.com"],
  ["10.0.0.0/33", "http://10.0.0.1"],
  ["10.0.0.0/", "http://10.0.0.1"],
  ["10.0.0.0/8/8", "http://10.0.0.1"],
  ["2001:db8::/129", "http://[2001:db8::1]"],
  ["example.com/path", "http://example.com"],
  ["<local>", "http://local"],
  ["example.com:http", "http://example.com"],
  [".", "http://example.com"]
]

describe("NO_PROXY", () => {
  it.each(table)("%j for %s: %s", (value, url, matches) => {
    const noProxy = NoProxy.make(value)
    expect(noProxy.matches(new URL(url))).toBe(matches)
    expect(noProxy.ignored).toEqual([])
  })

  it.each(ignored)("%j is no entry, not even for %s", (entry, url) => {
    const noProxy = NoProxy.make(`a.example,${entry}`)
    expect(noProxy.matches(new URL(url))).toBe(false)
    expect(noProxy.matches(new URL("http://a.example"))).toBe(true)
    expect(noProxy.ignored).toEqual([entry])
  })
})

it.each([
  ["localhost", true],
  ["localhost.", true],
  ["api.localhost", true],
  ["127.0.0.1", true],
  ["[::1]", true],
  ["[::ffff:127.0.0.1]", true],
  ["notlocalhost", false],
  ["128.0.0.1", false],
  ["0.0.0.0", false],
  ["[::ffff:128.0.0.1]", false],
  ["127.0.0.1.example", false]
])("this machine has the name %s: %s", (host, isLoopback) => {
  expect(NoProxy.isLoopback(new URL(`http://${host}:8080`))).toBe(isLoopback)
})
