import { mutations, type Mutation } from "./Mutation.ts"

/** What must never show, and what must never be sent. */
export const credentials: ReadonlyArray<Mutation> = [
  ...mutations("core/src/internal/redaction.ts", "core/test/withholding.test.ts", {
    "a secret that comes back is quoted": [" || repeats(start)", ""],
    "a secret in another case is quoted": [".toUpperCase()", ""],
    "a secret with other white space is quoted": ["[secret, clean(secret), ", "[secret, "],
    "a secret in percent-encoding is quoted": ["|%[\\da-f]|", "|"],
    "a secret in JSON's escapes is quoted": ["…]|\\\\|", "…]|"],
    "a secret in HTML's entities is quoted": ["|&[#\\w]|", "|"],
    "a secret in hexadecimal is quoted": ["[\\da-f]){8}/i", "[\\da-f]){800}/i"],
    "a secret of wide characters in hexadecimal is quoted": ["|[c-f][\\da-f][89ab]([\\da-f][89ab])?", ""],
    "a secret in base64 is quoted": [", ...once, ...once.flatMap(shifted)", ""],
    "base64 is quoted wherever it begins": ['["", "a", "ab"]', '[""]'],
    "escapes in base64 of another case are quoted": ["run.length > 9 && jumbled.test(run)", "false"],
    "long base64 of another case is quoted": ["|[a-z]{17}/i", "/i"],
    "a secret read as Latin-1 is quoted": ["/[^ -~…]|", "/"],
    "a text is searched at any length": ["clean(text.slice(0, limit))", "clean(text)"],
    "9 characters of a secret are quoted": ["Math.min(8, ", "Math.min(10, "]
  }),
  ...mutations(
    "core/src/internal/redaction.ts",
    "core/test/response.test.ts > a response without the error envelope ",
    {
      "a text is quoted at length": ["start.slice(0, limit / 2)", "start.slice(0, limit)"]
    }
  ),
  ...mutations("core/src/internal/redaction.ts", "core/test/request.test.ts", {
    "the key's ID does not go with its secret": ["`${keyId}:${secret}`", "`:${secret}`"]
  }),
  ...mutations(
    "core/src/internal/transportFailure.ts",
    "core/test/echoes.test.ts > a secret shows in no error, log, span or metric > when it comes back in ",
    {
      "an error of the transport is quoted as it is": [
        'sanitize(text || "the connection failed")',
        'text || "the connection failed"'
      ],
      "a code of the transport is quoted as it is": ["{ code: sanitize(code) }", "{ code }"]
    }
  ),
  ...mutations(
    "core/src/internal/response.ts",
    "core/test/echoes.test.ts > a secret shows in no error, log, span or metric > when it comes back in ",
    {
      "the service's text is quoted as it is": ["sanitize(envelope.error)", "envelope.error"],
      "a body without the envelope is quoted as it is": ["sanitize(utf8(body))", "utf8(body)"],
      "a request ID is quoted as it is": ["{ requestId: sanitize(requestId) }", "{ requestId }"]
    }
  ),
  ...mutations(
    "core/src/internal/call.ts",
    "core/test/echoes.test.ts > a secret shows in no error, log, span or metric > when it comes back in ",
    {
      "the request ID of a head is quoted as it is": ["signature.sanitize(head.requestId)", "head.requestId"]
    }
  ),
  ...mutations(
    "core/src/internal/content.ts",
    "core/test/echoes.test.ts > a secret shows in no error, log, span or metric > when it comes back in ",
    {
      "a body that is not JSON is quoted as it is": ["is not JSON: ${sanitize(text)}", "is not JSON: ${text}"]
    }
  ),
  ...mutations(
    "core/src/Envelope.ts",
    "core/test/echoes.test.ts > a secret shows in no error, log, span or metric > when it comes back in ",
    {
      "a body that is not the service's is quoted as it is": ["sanitize(Content.utf8(body))", "Content.utf8(body)"]
    }
  ),
  ...mutations("core/src/internal/response.ts", "core/test/response.test.ts > a success ", {
    "a body of another shape is quoted as it is": ["sanitize(message)", "message"]
  }),
  ...mutations("core/src/Client.ts", "core/test/options.test.ts", {
    "a key's ID may hold a colon": [' || keyId.includes(":")', ""],
    "a key's ID may hold a line break": ["!isText(keyId) || ", ""],
    "a secret may hold a line break": ["!isText(keySecret)", "false"],
    "credentials may be missing": ['typeof text === "string" && ', ""],
    "the base URL may hold credentials": ["[^/?#@\\\\\\s]+", "[^/?#\\\\\\s]+"],
    "the base URL may hold credentials behind a backslash": ["[^/?#@\\\\\\s]+", "[^/?#@]+"],
    "the base URL may be of any scheme": ["/^https?:", "/^[a-z]+:"],
    "the base URL may hold a query": ["(\\/[^?#]*)?$/i", "/i"],
    "a base URL without TLS is not reported": ['if (log && protocol === "http:"', "if (log && false"],
    "a base URL without TLS is reported for this machine": [" && !loopback.test(hostname)", ""],
    "a name that begins like that of this machine is one": ["localhost)$/", "localhost)/"],
    "an address that begins like one of this machine is one": ["127\\.[\\d.]+", "127\\.[^/:]+"]
  }),
  ...mutations("core/src/internal/signer.ts", "core/test/rotation.test.ts", {
    "credentials that are the same count as others": ["authorization === current.authorization", "false"],
    "credentials that others have read are read again": ["if (!isCurrent(refused) || ", "if ("],
    "each refused call reads the credentials itself": ["running ?? start()", "start()"],
    "credentials are read once and for all": ["if (running === evaluation) running = undefined\n      end()", "end()"],
    "credentials are read for as long as it takes": [
      "(Fiber.await(reading), limit, ",
      "(Fiber.await(reading), Infinity, "
    ],
    "credentials that cannot be interrupted are waited for": [
      "(Fiber.await(reading), limit, ",
      "(Effect.uninterruptible(Fiber.await(reading)), limit, "
    ],
    "credentials belong to the call that built the client": ["Context.omit(Tracer.ParentSpan)(context)", "context"],
    "credentials that are not renewed are not reported": [
      "return onFailure(exit?.cause.reasons.find(Cause.isFailReason)?.error)",
      "return Effect.void"
    ],
    "a new secret is quoted": ["[repeats, ...", "[..."],
    "the secret before is quoted": [", ...(before?.secrets.slice(0, 1) ?? [])]", "]"],
    "the secret that a call was first sent with is quoted": [
      "[...current.secrets, ...refused.secrets]",
      "current.secrets"
    ],
    "a secret that is newer than the call is quoted": ["[...secrets, ...current.secrets]", "secrets"]
  }),
  ...mutations("core/src/Client.ts", "core/test/rotation.test.ts", {
    "why credentials are not renewed is told in any words": [
      'error instanceof InvalidOption ? error.message : "the credentials cannot be read"',
      "String(error)"
    ]
  }),
  ...mutations("core/src/internal/reporter.ts", "core/test/telemetry.test.ts > the log of an attempt ", {
    "a header is logged as it is": ["withheld(ended?.head?.headers[name])", "ended?.head?.headers[name]"]
  }),
  ...mutations("core/src/Log.ts", "core/test/telemetry.test.ts > the log of an attempt ", {
    "cookies are logged": ['  "content-type",\n', '  "content-type",\n  "set-cookie",\n']
  }),
  ...mutations(
    "core/src/internal/reporter.ts",
    "core/test/echoes.test.ts > a secret shows in no error, log, span or metric > when it comes back in the ID of a success",
    {
      "a span keeps what a success brought": ["Exit.asVoid(exit)", "exit"],
      "a request ID is on a span as it is": [
        "withheld(own?.requestId || ended?.head?.requestId)",
        "own?.requestId || ended?.head?.requestId"
      ]
    }
  ),
  ...mutations("core/src/internal/call.ts", "core/test/rotation.test.ts", {
    "a call reads credentials after each 401": ["head?.status === 401 && renewals === 0", "head?.status === 401"],
    "another key takes an attempt of the policy": ["attempts: attempts - renewals", "attempts"],
    "a call waits for credentials beyond its deadline": [
      "options.signer.renew(refused), timeLeft(), ",
      "options.signer.renew(refused), Infinity, "
    ]
  }),
  ...mutations("core/src/CloudManagement.ts", "core/test/rotation.test.ts", {
    "layerConfig keeps the first key": [
      "Effect.map(Settings.read, ({ credentials }) => credentials)",
      "settings.credentials"
    ]
  }),
  ...mutations("core/src/Credentials.ts", "core/test/options.test.ts", {
    "a secret is kept in plain": ["Redacted.make(keySecret)", "keySecret"]
  }),
  ...mutations("core/src/internal/request.ts", "core/test/execute.test.ts", {
    "an ID can become another path": [
      "return encodeURIComponent(Content.wellFormed(name, value))",
      "return Content.wellFormed(name, value)"
    ],
    "a segment of the path can be two dots": [' || value === ".."', ""],
    "a segment of the path can be empty": [' || value === ""', ""]
  })
]
