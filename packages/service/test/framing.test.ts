import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Audit from "@cloud-management/service/Audit"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import { authorization, closing, exchange, request, start } from "../../../checks/fixtures/Host.ts"

/** A request in whose bounds two servers could disagree, and so find another one in its body. */
const smuggling: ReadonlyArray<readonly [name: string, head: ReadonlyArray<string>, body: string]> = [
  ["a length and a coding", ["Content-Length: 5", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
  ["a coding and a length", ["Transfer-Encoding: chunked", "Content-Length: 5"], "0\r\n\r\n"],
  ["two lengths that are the same", ["Content-Length: 1", "Content-Length: 1"], "x"],
  ["a list of lengths", ["Content-Length: 1, 1"], "x"],
  ["a length with a sign", ["Content-Length: +1"], "x"],
  ["a negative length", ["Content-Length: -1"], ""],
  ["a hexadecimal length", ["Content-Length: 0x1"], "x"],
  ["a length beyond all numbers", ["Content-Length: 99999999999999999999999"], ""],
  ["a coding twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
  ["chunked, but not last", ["Transfer-Encoding: chunked, identity"], "0\r\n\r\n"],
  ["a coding that is no more", ["Transfer-Encoding: identity"], ""],
  ["a coding that nobody knows", ["Transfer-Encoding: xchunked"], "0\r\n\r\n"],
  ["a second coding", ["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"],
  ["a vertical tab before the coding", ["Transfer-Encoding:\u000bchunked"], "0\r\n\r\n"],
  ["a space before the colon", ["Transfer-Encoding : chunked"], "0\r\n\r\n"],
  ["a folded line", ["X-A: b", " c"], ""],
  ["a folded coding", ["Transfer-Encoding:", " chunked"], "0\r\n\r\n"],
  ["a bare line feed", ["X-A: b\nX-C: d"], ""],
  ["a bare carriage return", ["X-A: b\rX-C: d"], ""],
  ["a NUL character", ["X-A: b\0"], ""],
  ["a line without a colon", ["X-A"], ""],
  ["a second Host", ["Host: other"], ""],
  ["a chunk without a size", ["Transfer-Encoding: chunked"], "zz\r\n"],
  ["a negative chunk", ["Transfer-Encoding: chunked"], "-1\r\n"],
  ["a chunk with a prefix", ["Transfer-Encoding: chunked"], "0x1\r\na\r\n0\r\n\r\n"],
  ["a chunk longer than its size", ["Transfer-Encoding: chunked"], "1\r\naaaa\r\n0\r\n\r\n"],
  ["chunks that end with line feeds", ["Transfer-Encoding: chunked"], "1\na\n0\n\n"],
  ["a chunk beyond all numbers", ["Transfer-Encoding: chunked"], "ffffffffffffffffff\r\n"]
]

describe.concurrent("a deletion that is framed in doubt is refused, and nothing after it is read:", () => {
  const line = `DELETE /v1/organizations/${Fixtures.acme}/keys/${Fixtures.backupKey.id}`
  const after = request(line, authorization())
  const check = Effect.fnUntraced(function* (text: string) {
    const deleted: Array<string> = []
    const audit: Audit.Recorder = (event) => Effect.sync(() => void deleted.push(event))
    const { url } = yield* start(undefined, undefined, undefined, { audit })
    const response = yield* exchange(url, text)
    expect(response.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"])
    expect(response).toMatch(/^connection: close\r$/im)
    expect(deleted).toEqual([])
  })

  it.live.each(smuggling)("%s", ([, head, body]) => check(request(line, authorization(), ...head) + body + after))

  it.live.each([
    ["HTTP/0.9", "GET /health\r\n\r\n"],
    ["chunks in HTTP/1.0", `${line} HTTP/1.0\r\n${authorization()}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["HTTP/1.2", "GET /health HTTP/1.2\r\nHost: t\r\n\r\n"],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
  ])("%s", ([, text]) => check(text + after))

  it.live.each([
    ["a second Host", ["Host: other"], ""],
    ["a second coding", ["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"],
    ["a body that does not end well", ["Transfer-Encoding: chunked"], "1\r\naaaa\r\n0\r\n\r\n"],
    ["a second Authorization", [authorization()], ""]
  ] as const)("%s, after three thousand other headers", ([, head, body]) =>
    check(request(line, authorization(), ...Array.from({ length: 3000 }, () => "a:"), ...head) + body + after)
  )

  it.live("and what is framed well is not", () =>
    Effect.gen(function* () {
      const { url } = yield* start()
      const chunked = `${request(line, authorization(), "Transfer-Encoding: chunked")}1\r\na\r\n0\r\nX-Trailer: b\r\n\r\n`
      const sized = `${request("GET /health", "Content-Length: 5")}hello`
      const response = yield* exchange(url, chunked + sized + closing("GET /nowhere"))
      expect(response.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 404"])
      expect(yield* exchange(url, "GET /health HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /)
    })
  )
})
