import { makeQuote } from "../src/internal/redaction.ts"
import * as Redacted from "effect/Redacted"
const c = { keyId: "a", keySecret: Redacted.make("cmk_qWvRt8XyZ03kLmNoPqRsTuVwXyZaBcDeFgHiJkL") }
let t = performance.now()
makeQuote(c)
console.log("cold", (performance.now() - t).toFixed(2))
t = performance.now()
for (let i = 0; i < 200; i++) makeQuote(c)
console.log("warm", ((performance.now() - t) / 200).toFixed(3), "ms")
const q = makeQuote(c)
for (const s of [
  "UNAUTHORIZED: Key is not found",
  "a0000000-0000-4000-8000-00000000000a",
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>",
  JSON.stringify({
    timestamp: "2026-11-05T12:34:56.789+00:00",
    status: 404,
    error: "Not Found",
    path: "/v1/organizations/a0000000-0000-4000-8000-00000000000a/keys/b0000000-0000-4000-8000-00000000000b"
  })
]) {
  for (let i = 0; i < 500; i++) q(s)
  t = performance.now()
  for (let i = 0; i < 500; i++) q(s)
  console.log((((performance.now() - t) / 500) * 1000).toFixed(0), "µs", s.slice(0, 30))
}
