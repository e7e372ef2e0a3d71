import { mutations, type Mutation } from "./Mutation.ts"

/** What a transport makes of its runtime. */
export const transports: ReadonlyArray<Mutation> = [
  ...mutations("browser/src/internal/failure.ts", "browser/test/FetchTransport.test.ts", {
    "a connection that Deno could not make may have been applied": [
      "client error \\(Connect\\)",
      "error \\(Nowhere\\)"
    ],
    "whatever fails in Deno was never sent": ["client error \\(Connect\\)", "client error \\(\\w+\\)"],
    "a certificate that Deno refuses is asked for again": [
      'stage[1] === undefined ? "EHOSTUNREACH" : "CERT_REJECTED"',
      '"EHOSTUNREACH"'
    ],
    "without a network nothing reaches this machine": [" && !loopback.test(url.hostname)", ""],
    "a request whose network went away was never sent": ["wasOffline && isOffline()", "isOffline()"],
    "a request whose network came back was never sent": ["wasOffline && isOffline()", "wasOffline"]
  }),
  ...mutations("browser/src/internal/redirected.ts", "browser/test/FetchTransport.test.ts", {
    "a redirect without a status has certainly changed nothing": ["status = 0", "status = 300"]
  }),
  ...mutations("browser/src/FetchTransport.ts", "testing/test/Conformance.test.ts", {
    "a redirect is followed": ['redirect: "manual"', 'redirect: "follow"']
  }),
  ...mutations("browser/src/internal/headers.ts", "testing/test/Conformance.test.ts", {
    "the headers of a trace are sent": ['"b3", "content-length", "traceparent"', '"content-length"']
  }),
  ...mutations("node/src/NodeTransport.ts", "testing/test/Conformance.test.ts", {
    "a 205 has content": ["[204, 205, 304]", "[204, 304]"],
    "a 304 has content": ["[204, 205, 304]", "[204, 205]"]
  })
]
