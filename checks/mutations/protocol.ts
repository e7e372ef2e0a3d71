import { mutations, type Mutation } from "./Mutation.ts"

/** What the service does with the forms of HTTP. */
export const protocol: ReadonlyArray<Mutation> = [
  ...mutations("service/src/node/internal/connections.ts", "service/test/HttpHost.test.ts", {
    "requests of a connection are carried out side by side": [
      "else if (exchanges.length === 1) advance",
      "else advance"
    ],
    "a request is carried out after the answer that ends its connection": [
      "next === undefined || !socket.writable",
      "next === undefined || socket.destroyed"
    ],
    "as many requests as one likes may wait on a connection": ["exchanges.length > maxPipelined", "false"],
    "a connection has no last request": ["++connection.requests >= maxRequestsPerConnection", "false"],
    "a request that asks for another protocol keeps its connection": ["request.headers.upgrade !== undefined", "false"],
    "a peer that never reads is left alone": ["if (exchanges.length > 0) socket.destroy()", ""],
    "a caller is asked for any body that it announces": [
      "request._read = read\n",
      "request._read = read\n      return read(size)\n    }\n    response.writeContinue()\n    request._read = (size) => {\n"
    ],
    "a caller is never asked for a body": ["if (!response.headersSent) response.writeContinue()", ""],
    "another expectation is answered by Node": ['server.on("checkExpectation", receive)', ""],
    "a method that does not exist is malformed": ["isMethod(error) ? notImplemented : malformed", "malformed"],
    "whatever is malformed is a method that does not exist": [
      "isMethod(error) ? notImplemented : malformed",
      "notImplemented"
    ],
    "CONNECT ends a connection without an answer": ['refuse(socket, notImplemented, "CONNECT")', "socket.destroy()"],
    "a document stops when CONNECT follows it": ['socket.on("drain", () => exchanges[0]?.response.emit("drain"))', ""],
    "a body that does not end is waited for": ['last.request.emit("error", fault)', ""],
    "what the parser refuses is answered before what came before it": [
      "if (fault === undefined || !(socket instanceof Net.Socket) || !socket.writable) socket.destroy()",
      'if (socket instanceof Net.Socket) socket.end("HTTP/1.1 400 \\r\\n\\r\\n")'
    ]
  }),
  ...mutations("service/src/node/internal/head.ts", "service/test/HttpHost.test.ts", {
    "HTTP/1.1 needs no Host": ['httpVersion === "1.1" && headers.host === undefined', "false"],
    "of two headers of another scheme one is taken": ['headers.authorization?.includes(",") === true', "false"],
    "credentials with commas are two": ['request.headersDistinct["authorization"]?.length !== 1', "true"],
    "any scheme is that of the service": ["/^https?:", "/^\\w+:"],
    "a target may name a user": ["if (!isAuthority(authority)) return undefined", ""],
    "the path of a URL is made normal": [
      'path.startsWith("/") ? path',
      'path.startsWith("/") ? new URL(path, "http://x").pathname'
    ],
    "* is a target for any method": ['target === "*" && method === "OPTIONS"', 'target === "*"'],
    "an https URL is answered without TLS": ["if (/^https:/i.test(target) && !isSecure(request)) return insecure", ""],
    "an https URL is never answered": ["!isSecure(request)", "true"],
    "a URL has no longest": ["if (target.length > maxTargetLength) return targetTooLong(maxTargetLength)", ""]
  }),
  ...mutations("service/src/node/internal/head.ts", "service/test/framing.test.ts", {
    "any version of HTTP is spoken": ["if (!isSpoken(request)) return version", ""]
  }),
  ...mutations("service/src/internal/wellFormed.ts", "service/test/HttpHost.test.ts", {
    "any Host is one": ['headers["host"] !== undefined && !isAuthority(headers["host"])', "false"],
    "any expectation is met": ['!/^(100-continue)?$/i.test(headers["expect"])', "false"]
  }),
  ...mutations("service/src/internal/wellFormed.ts", "service/test/framing.test.ts", {
    "any transfer coding is read as chunked": ['!/^(chunked)?$/i.test(headers["transfer-encoding"])', "false"],
    "a malformed body is none": [
      "Effect.mapError((error) => (error instanceof Fault ? error : onFailure())),",
      "Effect.orElseSucceed(() => undefined),"
    ]
  }),
  ...mutations("service/src/Service.ts", "service/test/HttpHost.test.ts", {
    "a key is not looked at again after a body": [
      "Effect.flatMap(Effect.andThen(authenticated, WellFormed.body(exchange.request)), answer)",
      "Effect.flatMap(authenticated, (caller) => Effect.flatMap(WellFormed.body(exchange.request), (body) => serveWithin(exchange, caller, body)))"
    ],
    "a refused request may have another behind its body": [
      "response.status >= 400 && WellFormed.hasBody(request)",
      "false"
    ]
  }),
  ...mutations("service/src/Service.ts", "service/test/Service.test.ts > a page", {
    "documents cannot be turned off": ["options.documentation === false", "false"]
  }),
  ...mutations("service/src/Service.ts", "service/test/Service.test.ts > CORS", {
    "a preflight is looked for a route": ["cors?.isPreflight(request) === true", "false"]
  }),
  ...mutations("service/src/internal/cors.ts", "service/test/Service.test.ts > CORS", {
    "any page may call": ['origins.find((origin) => origin === headers["origin"])', 'headers["origin"]'],
    "any OPTIONS is a preflight": ['request.headers["access-control-request-method"] !== undefined &&', ""]
  }),
  ...mutations("service/src/internal/document.ts", "service/test/Documentation.test.ts", {
    "a document is compressed for anyone": ['acceptsGzip(headers["accept-encoding"])', "true"],
    "a document is compressed for who refuses it": ["!/^q=0(?:\\.0*)?$/.test(weight)", "true"],
    "a document is sent again to who has it": ['holds(headers["if-none-match"], tag)', "false"],
    "each reader has a copy of a document": [
      "HttpServerResponse.uint8Array(bytes, { headers: all })",
      "HttpServerResponse.text(text, { headers: all })"
    ],
    "a document that could not be made is never made": ['"-Infinity"', '"Infinity"'],
    "a cache may confuse the codings of a document": ['vary: "Accept-Encoding", ', ""]
  }),
  ...mutations("service/src/node/HttpHost.ts", "service/test/HttpHost.test.ts", {
    "a peer that has left is still worked for": ["exchange.leave = () => fiber.interruptUnsafe()", "void fiber"],
    "the end of a host waits for no request that it cut off": ["yield* ended", ""]
  }),
  ...mutations("service/src/node/internal/server.ts", "service/test/HttpHost.test.ts", {
    "an empty certificate is taken for none": ['if (cert === "")', "if (false)"],
    "an empty private key is taken for none": ['if (key === "")', "if (false)"],
    "TLS 1.2 is spoken without forward secrecy": ["as const, ciphers }", "as const }"]
  }),
  ...mutations("service/src/node/internal/responses.ts", "service/test/HttpHost.test.ts", {
    "a document goes to a connection at once": ["body.contentLength > piece", "false"],
    "a peer that is still sending loses its answer": ["if (!request.complete) endGently", "if (false) endGently"]
  }),
  ...mutations("service/src/internal/requestIds.ts", "service/test/Service.test.ts", {
    "requests share their IDs": ["(at += 32)", "at + 32"]
  })
]
