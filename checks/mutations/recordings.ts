import { mutations, type Mutation } from "./Mutation.ts"

/** The recorder: what a recording is found by, what it keeps, and what it never writes. */
export const recordings: ReadonlyArray<Mutation> = [
  ...mutations("testing/src/Recorder.ts", "testing/test/Recorder.test.ts", {
    "a recording is replayed again and again": ["if (index !== undefined) used.add(index)", ""],
    "a build server records": ['? "update" : "replay"', '? "update" : "update"'],
    "an unknown mode is an update": ["modes.some((mode) => mode === value)", "true"],
    "an update loses the recordings there are": ["[...entries, ...made.map", "[...made.map"],
    "a replay without anything new is written": ["attempts.length > 0 || (mode", "true || (mode"],
    "a recording without a request replaces a cassette": [" && Exit.isSuccess(exit))", ")"],
    "a run that is interrupted is written": ["Cause.hasInterrupts(exit.cause) || ", ""],
    "a run whose assertion fails is written": [" || Cause.hasDies(exit.cause)", ""],
    "a cassette is overwritten in place": ["const temporary = `${file}.", "const temporary = file || `${file}."],
    "a broken write leaves a file": ["Effect.ignore(fs.remove(temporary, { force: true }))", "Effect.void"],
    "a file of a later version is read": ["json.success.version !== Cassette.version", "false"],
    "unknown fields of a cassette are ignored": ['{ onExcessProperty: "error" }', "{}"],
    "recordings that no request took are ignored": ['unused === "ignore" || rest.length === 0', "true"],
    "a replay takes time that is not asked for": ['timing === "recorded" ?', "timing !== undefined ?"],
    "the nearest recording is the first one": [
      ".sort((a, b) => a.distance - b.distance",
      ".sort((a, b) => 0 * a.distance - 0 * b.distance"
    ],
    "secrets that are named are written": ["secrets.add(Redacted.value(secret))", "Redacted.value(secret)"]
  }),
  ...mutations("testing/src/Recorder.ts", "testing/test/recordedSecrets.test.ts", {
    "a cassette with credentials is written": [
      "secrets.show(JSON.stringify(entry))",
      "false && secrets.show(JSON.stringify(entry))"
    ],
    "cookies that the service sets are written": ["attempt.response?.headers ?? Headers.empty", "Headers.empty"],
    "credentials of a proxy are written": ['"proxy-authorization", ', ""],
    "what a program withholds is all that is secret": ["[...secretHeaders, ...", "[..."]
  }),
  ...mutations("testing/src/internal/recording.ts", "testing/test/recordedSecrets.test.ts", {
    "cookies that are apart from the headers are written": ["...Cookies.toSetCookieHeaders(cookies)", ""]
  }),
  ...mutations("testing/src/internal/difference.ts", "testing/test/Recorder.test.ts", {
    "the body does not count": [',\n  ...compare(recorded.body, sent.body, "body")', ""],
    "the query does not count": ['...(["query", "headers"] as const).flatMap', '...(["headers"] as const).flatMap'],
    "headers do not count": ['...(["query", "headers"] as const).flatMap', '...(["query"] as const).flatMap']
  }),
  ...mutations("testing/src/internal/difference.ts", "testing/test/recordedSecrets.test.ts", {
    "a secret that is known later keeps a request from its recording": [
      "&& fits(recorded, sent)",
      "&& recorded === sent"
    ],
    "a secret in a path can hold a slash": [
      "Math.abs(left.length - right.length) + left",
      "Math.max(0, left.length - right.length) + left"
    ],
    "a text beside a secret does not count": ["&& sent.endsWith(last)", ""],
    "what was sent in place of a secret is shown": ["isRedacted(recorded) && sent !== undefined", "false"],
    "a path is shown with what was sent in place of a secret": [
      "isRedacted(segments[i]) ? placeholder",
      "false ? placeholder"
    ]
  }),
  ...mutations("testing/src/Recorder.ts", "testing/test/recordedSecrets.test.ts", {
    "a recording with a secret is taken before the one that is the same": [
      "Difference.isSame(recorded, request)",
      "false && Difference.isSame(recorded, request)"
    ]
  }),
  ...mutations("testing/src/internal/content.ts", "testing/test/Recorder.test.ts", {
    "bytes are taken for text": ["fatal: true, ", ""],
    "JSON loses what cannot be parsed back": [
      "JSON.stringify(value) === (isJson ? compacted : marked) ? value : undefined",
      "value"
    ],
    "what is JSON only without its white space is JSON": ["undefined : parse(text)", "undefined : parse(compacted)"],
    "text that looks like JSON loses its white space": ["isJson ? compacted : marked", "compacted"],
    "JSON with a byte order mark is text": ['marked.replace(/^\\ufeff/, "")', "marked"],
    "JSON of any depth is walked through": ["++depth > maxDepth", "++depth > 1e9"]
  }),
  ...mutations("testing/src/internal/sent.ts", "testing/test/Recorder.test.ts", {
    "a stream is sent that was read already": ["HttpBody.stream(streamed.again,", "HttpBody.stream(body.stream,"]
  }),
  ...mutations("testing/src/internal/recording.ts", "testing/test/recordings.test.ts", {
    "an attempt that was aborted is an empty response": [
      'received.state = { reason: "Aborted" }',
      'received.state = "whole"'
    ],
    "a body that broke off is whole": [
      'received.state = { ...Failures.fromError(error), reason: "DecodeError" }',
      'received.state = "whole"'
    ]
  }),
  ...mutations("testing/src/internal/recording.ts", "testing/test/Recorder.test.ts", {
    "every response is JSON": ['jsonType.test(headers["content-type"] ?? "")', "true"],
    "a type that has parameters is not JSON": ["\\s*(;|$)/i", "$/i"],
    "the length of a body is that of another": [
      'redacted["content-length"] = String(Content.toBytes(body).length)',
      ""
    ],
    "an attempt takes no time": ["attempt.millis = Math.round(", "attempt.millis = 0 * Math.round("]
  }),
  ...mutations("testing/src/internal/failure.ts", "testing/test/recordings.test.ts", {
    "a failure loses its code": ["...(Predicate.isString(code) && { code }),", ""],
    "a failure loses the call of the system that failed": ["...(Predicate.isString(syscall) && { syscall }),", ""],
    "a failure loses its causes": ["causes.length < 5", "causes.length < 1"]
  }),
  ...mutations("testing/src/internal/secrets.ts", "testing/test/recordedSecrets.test.ts", {
    "nothing is redacted": ["if (!show(text)) return text", "if (known.size >= 0) return text"],
    "what cannot be cut out is written": ["show(replaced) ? placeholder : replaced", "replaced"],
    "a secret is not cut out": ["return show(replaced) ? placeholder : replaced", "return placeholder"],
    "base64 is written": ["for (const digits of [...once, ...twice])", "for (const digits of twice.slice(0, 0))"],
    "base64 is written wherever it begins": ['["", "a", "ab"]', '[""]'],
    "letter case hides a secret": ["const lower = reading.toLowerCase()", "const lower = reading"],
    "percent-encoding hides a secret": ['fromHex(run.replaceAll("%", ""))', "run"],
    "a token is not a secret": ['.replace(/^[\\w-]+ +/, "")', '.replace(/^[^]*$/, "")'],
    "a user without a password is not a secret": [" || text.slice(0, Math.max(0, colon))", ""],
    "attributes of a cookie are secrets": ["cookiesOf(header) : header", "header : header"],
    "only the first cookie is a secret": [".split(/[;,]/)", ".split(/[;,]/, 1)"]
  })
]
