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
  ...mutations("browser/src/FetchTransport.ts", "testing/test/Conformance.test.ts", {
    "a redirect is followed": ['redirect: "manual"', 'redirect: "follow"']
  }),
  ...mutations("browser/src/internal/response.ts", "browser/test/FetchTransport.test.ts", {
    "a redirect without a status has certainly changed nothing": ["status: 0", "status: 300"]
  }),
  ...mutations("browser/src/FetchTransport.ts", "browser/test/FetchTransport.test.ts", {
    "a body can be read once only": ["bytes ??= ", ""],
    "of several cookies the last is there": ['response.headers.get("set-cookie")', "null"]
  }),
  ...mutations("browser/src/internal/client.ts", "browser/test/FetchTransport.test.ts", {
    "a request goes on whose response nobody reads any more": ["return Effect.sync(abort)", "return Effect.void"]
  }),
  ...mutations("browser/src/internal/client.ts", "testing/test/Conformance.test.ts", {
    "the headers of a trace are sent": ['"b3", "content-length", "traceparent"', '"content-length"']
  }),
  ...mutations("node/src/internal/decompression.ts", "node/test/HttpClient.test.ts", {
    "a 205 has content": ["[204, 205, 304]", "[204, 304]"],
    "a 304 has content": ["[204, 205, 304]", "[204, 205]"],
    "a body without a byte is decompressed": ['response.headers["content-length"] === "0"', "false"]
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
  ...mutations("node/src/internal/noProxy.ts", "node/test/noProxy.test.ts", {
    "a name matches what ends like it": ["host.endsWith(`.${name}`)", "host.endsWith(name)"],
    "a name does not match itself": [" || (!isBelow && host === name)", ""],
    "what is below a name only matches the name": ["!isBelow && ", ""],
    "a port in an entry is not looked at": ["Number(port) === Number(ofHost) && ", ""],
    "an entry without a port is for no port": ["|| port === undefined) return matches", ") return matches"],
    "a name with a star in it is an entry": ['|| name.includes("*") ', ""],
    "a range can have more bits than an address": ["? 128 : 32", "? 999 : 999"],
    "a dot at the end is part of a name": ["undotted(unbracketed(hostname))", "unbracketed(hostname)"],
    "the port of an https URL is that of http": ['"443" : "80"', '"80" : "80"'],
    "entries are separated by commas only": ["/[\\s,]/", "/,/"]
  }),
  ...mutations("node/src/internal/settings.ts", "node/test/options.test.ts", {
    "a Unix socket with a proxy is accepted": ["socketPath !== undefined && proxy !== undefined", "false"],
    "a pool of no connection is accepted": [" && connections > 0", ""],
    "TLS to a proxy without TLS is accepted": ['tls !== undefined && read.address.protocol === "http:"', "false"],
    "entries of NO_PROXY are ignored in silence": ["ignored.length > 0", "false"]
  }),
  ...mutations("node/src/internal/settings.ts", "node/test/proxies.test.ts > the environment ", {
    "HTTP_PROXY is read in a CGI program": ["isCgi ? [] :", "!isCgi && false ? [] :"],
    "upper case comes first": ['"https_proxy", "HTTPS_PROXY"', '"HTTPS_PROXY"'],
    "NO_PROXY is not read": [" || matches(origin)", ""]
  }),
  ...mutations("node/src/internal/tls.ts", "node/test/options.test.ts", {
    "a key without a certificate is accepted": [" || secret !== undefined) {", ") {"],
    "a key of another certificate is accepted": ["own?.checkPrivateKey(privateKey) === true", "own !== undefined"],
    "authorities without a certificate are accepted": ["every(({ length }) => length > 0)", "every(() => true)"],
    "a server can be named by its address": [" && Net.isIP(servername) === 0", ""]
  }),
  ...mutations("node/src/internal/proxy.ts", "node/test/options.test.ts", {
    "an error repeats the URL of a proxy": ["message: `${name} must be ${rule}`", "message: `${text} must be ${rule}`"],
    "a proxy of any scheme is accepted": ["!/^https?:$/.test(url.protocol)", "false"],
    "a user can have a colon": ['user.includes(":") || ', ""]
  }),
  ...mutations("node/src/internal/proxy.ts", "node/test/proxies.test.ts > a proxy that does not do its part ", {
    "a failure does not name the proxy": ["this.proxyOrigin = proxy.origin", 'this.proxyOrigin = ""'],
    "a refusal is asked for again": ["options?.isRefusal === true", "options?.isRefusal === undefined && false"],
    "a failure shows the credentials of the proxy": [
      '"does not accept its credentials (407)"',
      "JSON.stringify(proxy.authorization)"
    ]
  }),
  ...mutations("node/src/internal/connect.ts", "node/test/proxies.test.ts > a proxy that does not do its part ", {
    "every refusal of a proxy is asked for again": ["isRefusal: !isTransient(status)", "isRefusal: false"],
    "no refusal of a proxy is asked for again": ["isRefusal: !isTransient(status)", "isRefusal: true"],
    "an interim response of a proxy counts as the final one": ["status < 200", "false"],
    "what a proxy sends early is taken for the service's": [" && early.length === 0", ""]
  }),
  ...mutations("node/src/internal/connect.ts", "node/test/options.test.ts > a Unix socket ", {
    "a Unix socket without a listener may have been sent to": ['"EHOSTUNREACH"', '"ENOENT"']
  }),
  ...mutations("node/src/internal/dispatcher.ts", "node/test/proxies.test.ts", {
    "407 in the absolute form is the service's": ["exchange.status !== 407", "true"],
    "the proxy is not told who asks": [", ...proxy.authorization }", " }"],
    "a proxy that is to make a tunnel reads the request": [
      "http.tunnel ? tunnel(http) : forward(http)",
      "forward(http)"
    ]
  }),
  ...mutations("node/src/internal/pool.ts", "node/test/proxies.test.ts", {
    "a tunnel outlives its request": ["(socket) => (lane.socket = socket)", "() => undefined"]
  }),
  ...mutations(
    "core/src/internal/transportFailure.ts",
    "node/test/proxies.test.ts > a proxy that does not do its part ",
    {
      "a name of a proxy may be withheld": ['text.replaceAll(proxy, "")', "text"],
      "a proxy that refuses is asked again": ["ACCESS|PROXY|", "ACCESS|"],
      "what a proxy did not pass on may have been applied": ["    proxy ||\n", ""]
    }
  ),
  ...mutations("node/src/NodeTransport.ts", "node/test/HttpClient.test.ts", {
    "a scope that closes leaves a socket open": ["execute(request, signal)", "execute(request)"]
  })
]
