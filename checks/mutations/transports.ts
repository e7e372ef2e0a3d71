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
  ...mutations("browser/src/internal/response.ts", "browser/test/FetchTransport.test.ts", {
    "a request goes on whose response nobody reads any more": [
      "return Effect.sync(() => this.#controller.abort())",
      "return Effect.void"
    ],
    "a body can be read once only": ["this.#bytes ??= ", ""],
    "the length of a compressed body is that of its content": ['source.type === "cors"', "false"]
  }),
  ...mutations("browser/src/internal/headers.ts", "testing/test/Conformance.test.ts", {
    "the headers of a trace are sent": ['"b3", "content-length", "traceparent"', '"content-length"']
  }),
  ...mutations("node/src/internal/decompression.ts", "node/test/HttpClient.test.ts", {
    "a 205 has content": ["[204, 205, 304]", "[204, 304]"],
    "a 304 has content": ["[204, 205, 304]", "[204, 205]"]
  }),
  ...mutations("node/src/internal/exchange.ts", "node/test/HttpClient.test.ts", {
    "a body is taken from the socket faster than it is read": ["if (this.#size > mostUnread) controller.pause()", ""],
    "what is left of a stream keeps its socket": [
      "Stream.fromPull(Effect.succeed(pull)),\n        Effect.sync(() => this.abort())",
      "Stream.fromPull(Effect.succeed(pull)),\n        Effect.void"
    ],
    "a reader that is interrupted leaves its socket open": [
      "begin()\n      return Effect.sync(() => this.abort())",
      "begin()"
    ],
    "of two readers one waits for ever": ["notify?.()", ""],
    "a response that nobody holds keeps its socket": ["if (!this.#isComplete) unread.register(response, this)", ""],
    "a body that was streamed is empty": ["if (this.#isTaken) return taken", ""]
  }),
  ...mutations("node/src/internal/target.ts", "node/test/HttpClient.test.ts", {
    "a path that has dot segments is sent as it is": [" && !dotted.test(path)", ""],
    "a path is sent as it is, whatever is in it": ["plain.test(path) && ", ""]
  }),
  ...mutations("node/src/NodeTransport.ts", "node/test/HttpClient.test.ts", {
    "a scope that closes leaves a socket open": ["execute(request, signal)", "execute(request)"]
  })
]
