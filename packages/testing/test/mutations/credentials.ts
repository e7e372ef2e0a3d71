import { mutations, type Mutation } from "./Mutation.ts"

/** What must never show, and what must never be sent. */
export const credentials: ReadonlyArray<Mutation> = [
  ...mutations("core/src/internal/redaction.ts", "core/test/redaction.test.ts", {
    "a secret that comes back is quoted": ['.replace(pattern, "<redacted>")', ""],
    "a secret in base64 is quoted": ["encoded(secret),", ""],
    "the credentials in base64 are quoted": ["encoded(`${keyId}:${secret}`),", ""],
    "a secret as it stands is quoted": ['...(raw === "" ? [] : [Array.from(raw, spelled).join("")])', ""],
    "a secret in another case is quoted": ['"giu"', '"gu"'],
    "a secret in percent-encoding is quoted": ["[latin1, units, bytes]", "[latin1, units]"],
    "a text is cut before it is redacted": ["const clean = text\n", "const clean = text.slice(0, limit)\n"]
  }),
  ...mutations("core/src/internal/redaction.ts", "testing/test/Redaction.test.ts", {
    "a secret in JSON's escapes is quoted": ["[latin1, units, bytes]", "[latin1, bytes]"],
    "a secret in HTML's entities is quoted": ['|&(?:amp;)*(?:${names.join("|")});)`', ")`"]
  }),
  ...mutations(
    "core/src/internal/redaction.ts",
    "core/test/response.test.ts > a response without the error envelope ",
    {
      "a text is quoted at length": ["clean.length > limit ? `${clean.slice(0, limit)}…` : clean", "clean"]
    }
  ),
  ...mutations("core/src/internal/redaction.ts", "core/test/request.test.ts", {
    "the key's ID does not go with its secret": [
      "`${keyId}:${Redacted.value(keySecret)}`",
      "`:${Redacted.value(keySecret)}`"
    ]
  }),
  ...mutations("core/src/internal/transportFailure.ts", "core/test/redaction.test.ts", {
    "an error of the transport is quoted as it is": [
      'quote(text === "" ? "the connection failed" : text)',
      'text === "" ? "the connection failed" : text'
    ],
    "a code of the transport is quoted as it is": ["{ code: quote(code) }", "{ code }"]
  }),
  ...mutations("core/src/internal/response.ts", "core/test/redaction.test.ts", {
    "the service's text is quoted as it is": ["sanitize(envelope.error)", "envelope.error"],
    "a body without the envelope is quoted as it is": ["sanitize(utf8(content.success))", "utf8(content.success)"],
    "a request ID is quoted as it is": ["{ requestId: sanitize(requestId) }", "{ requestId }"]
  }),
  ...mutations("core/src/internal/content.ts", "core/test/redaction.test.ts", {
    "a body that is not JSON is quoted as it is": ["is not JSON: ${sanitize(text)}", "is not JSON: ${text}"]
  }),
  ...mutations("core/src/Envelope.ts", "core/test/redaction.test.ts", {
    "a body that is not the service's is quoted as it is": ["sanitize(Content.utf8(bytes))", "Content.utf8(bytes)"]
  }),
  ...mutations("core/src/internal/response.ts", "core/test/response.test.ts > a success ", {
    "a body of another shape is quoted as it is": ["sanitize(decoded.failure.message)", "decoded.failure.message"]
  }),
  ...mutations("core/src/Client.ts", "core/test/options.test.ts", {
    "a key's ID may hold a colon": [' && !credentials.keyId.includes(":")', ""],
    "a key's ID may hold a line break": ["printable.test(credentials.keyId) && ", ""],
    "a secret may hold a line break": ["printable.test(Redacted.value(credentials.keySecret))", "true"],
    "the base URL may hold credentials": ["[^/?#@]+", "[^/?#]+"],
    "the base URL may be of any scheme": ["/^https?:", "/^[a-z]+:"],
    "the base URL may hold a query": ["(\\/[^?#]*)?$/i", "/i"],
    "a base URL without TLS is not reported": ["if (insecure.test(href) && ", "if (false && "],
    "a base URL without TLS is reported for this machine": ["insecure.test(href)", 'href.startsWith("http:")'],
    "a name that begins like that of this machine is one": ["localhost)[/:])/", "localhost))/"],
    "an address that begins like one of this machine is one": ["127\\.[\\d.]+", "127\\.[^/:]+"]
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
