import type { Dice } from "../fixtures/Dice.ts"

/** What HTTP does not allow, or hardly, in place of a request. */
const strange = [
  "",
  "\r\n\r\n",
  "GET",
  "GET /health\r\n\r\n",
  "GET /health HTTP/1.1\n\n",
  "GET  /health HTTP/1.1\r\nHost: f\r\n\r\n",
  "GET /health HTTP/1.1\r\n\r\n",
  "GET /health HTTP/9.9\r\nHost: f\r\n\r\n",
  "get /health HTTP/1.1\r\nHost: f\r\n\r\n",
  "CONNECT example.com:443 HTTP/1.1\r\nHost: f\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: f\r\n\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "GET http://example.com/v1/organizations HTTP/1.1\r\nHost: f\r\n\r\n",
  "GET http:// HTTP/1.1\r\nHost: f\r\n\r\n",
  "GET ftp://f/health HTTP/1.1\r\nHost: f\r\n\r\n",
  "FOO /health HTTP/1.1\r\nHost: f\r\n\r\n",
  "FOO",
  "OPTIONS /health HTTP/1.1\r\nHost: f\r\nOrigin: https://app.example.com\r\nAccess-Control-Request-Method: GET\r\n\r\n",
  "OPTIONS /health HTTP/1.1\r\nHost: f\r\nTransfer-Encoding: gzip\r\n\r\n",
  "GET //[::1 HTTP/1.1\r\nHost: f\r\n\r\n",
  "GET \\..\\ HTTP/1.1\r\nHost: f\r\n\r\n",
  "GET /health HTTP/1.1\r\nHost: f\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
  "GET /health HTTP/1.1\r\nHost: f\r\nUpgrade: h2c\r\nConnection: upgrade\r\nContent-Length: 9\r\n\r\n",
  "GET /health HTTP/1.1\r\nHost: f\r\nUpgrade: h2c\r\nConnection: upgrade\r\nTransfer-Encoding: chunked\r\n\r\n",
  "GET /health HTTP/1.1\r\nHost: f\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n",
  "GET /health HTTP/1.1\r\nHost: f\r\nExpect: 100-continue\r\nUpgrade: x\r\nTransfer-Encoding: chunked\r\n\r\n",
  "GET /health HTTP/1.1\r\nHost: f\r\nExpect: more\r\n\r\n",
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003"
] as const

/** Header lines that make two servers disagree about where a request ends. */
const lines = [
  "Content-Length: 5\r\nTransfer-Encoding: chunked",
  "Content-Length: 1\r\nContent-Length: 2",
  "Content-Length: -1",
  "Content-Length: 99999999999999999999",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding: gzip",
  "Transfer-Encoding:\u000bchunked",
  "Transfer-Encoding : chunked",
  "Upgrade: websocket\r\nConnection: upgrade",
  "Expect: 100-continue\r\nTransfer-Encoding: chunked",
  "X: a\r\n b",
  "X: a\nY: b",
  "X: \u0000",
  "X",
  ": x",
  "Host: other"
] as const

/** A text whose bytes are no longer those of the request that it was. */
const mutate = (dice: Dice, text: string): string => {
  let mutated = text
  for (let n = 1 + dice.below(4); n > 0; n--) {
    const at = dice.below(mutated.length + 1)
    const [head, tail] = [mutated.slice(0, at), mutated.slice(at)]
    const end = dice.below(tail.length + 1)
    mutated = dice.pick<() => string>([
      () => head + dice.text(1, 0, 0xff) + tail.slice(1),
      () => head + dice.text(1 + dice.below(5), 0, 0xff) + tail,
      () => head + dice.pick(["\r", "\n", "\r\n", "\0", " ", ":", "%", "\t", "/", "?", "\u00ff"]) + tail,
      () => head + tail.slice(end),
      () => head + tail.slice(0, end) + tail,
      () => head,
      () => head.replace("\r\n", `\r\n${dice.pick(lines)}\r\n`) + tail
    ])()
  }
  return mutated
}

/** Bytes, one character each, that may be anything; `text` is a request to begin with. */
export const make = (dice: Dice, text: string): string =>
  dice.pick<() => string>([
    () => mutate(dice, text),
    () => mutate(dice, text),
    () => mutate(dice, text),
    () => text.replace("\r\n", `\r\n${dice.pick(lines)}\r\n`),
    () => dice.pick(strange) + (dice.chance(0.5) ? text : ""),
    () => mutate(dice, dice.pick(strange)),
    () => dice.text(dice.below(300), 0, 0xff),
    () => text.slice(0, dice.below(text.length)),
    () => text.replace("\r\n", `\r\nX: ${"a".repeat(dice.below(40_000))}\r\n`),
    () => text.replace("\r\n", `\r\n${"a:b\r\n".repeat(dice.below(3000))}`)
  ])()
