import { mutations, type Mutation } from "./Mutation.ts"

const assumed = "appliedBefore ? assumeDeleted(operation, head, reason, error.requestId) : undefined"
const outcomeOf = "status >= 300 && status < 500 && status !== 303 && status !== 408"

/** What is known of the effect of a request whose answer is lost. */
export const ambiguity: ReadonlyArray<Mutation> = [
  ...mutations("core/src/internal/call.ts", "core/test/retryAmbiguity.test.ts", {
    "a 404 is no deletion, whatever came before": [assumed, "undefined"],
    "every 404 is a deletion": [assumed, "assumeDeleted(operation, head, reason, error.requestId)"],
    "a 404 of a read is a success": ['method === "DELETE" && ', ""],
    "a 400 after a lost answer is a deletion": ["head?.status === 404 && ", "head && "],
    "a 404 of a gateway is a deletion": ['"status" in reason && ', ""],
    "the last attempt alone tells whether there was an effect": [
      "mayHaveBeenApplied ||= outcome",
      "mayHaveBeenApplied = outcome"
    ],
    "no attempt is held to have been applied": ['mayHaveBeenApplied ||= outcome === "unknown"', ""],
    "an attempt that was not sent counts as applied": [
      'mayHaveBeenApplied ||= outcome === "unknown"',
      'mayHaveBeenApplied ||= outcome !== "refused"'
    ],
    "a refusal counts as applied": [
      'mayHaveBeenApplied ||= outcome === "unknown"',
      'mayHaveBeenApplied ||= outcome !== "not-sent"'
    ],
    "the last attempt alone tells whether the call was sent": ["sent ||= outcome", "sent = outcome"],
    "a call that was sent is not-sent": ['sent ||= outcome !== "not-sent"', ""],
    "an error hides that an attempt may have been applied": ['mayHaveBeenApplied ? "unknown" : sent', "sent"],
    "a deletion without an answer has no request ID": [
      "success.deletedValue(requestId)",
      "success.deletedValue(undefined)"
    ]
  }),
  ...mutations("core/src/internal/reporter.ts", "core/test/execute.test.ts > a listener ", {
    "a listener that throws fails a call": ["Effect.suspend(() => listen(event))", "listen(event)"]
  }),
  ...mutations("core/src/internal/call.ts", "core/test/telemetry.test.ts > the spans of ", {
    "a deletion without an answer is not reported": ['yield* reporter.emit({ _tag: "AssumedDeleted", ...failed })', ""]
  }),
  ...mutations("core/src/internal/reporter.ts", "core/test/telemetry.test.ts > the spans of ", {
    "a deletion without an answer is not flagged in its span": [
      "return span.attribute(attributes.assumedDeleted, true)",
      "return undefined"
    ]
  }),
  ...mutations("core/src/Log.ts", "core/test/telemetry.test.ts > the spans of ", {
    "a deletion without an answer is not logged": [
      'case "AssumedDeleted":\n',
      'case "AssumedDeleted":\n      return Effect.void\n'
    ]
  }),
  ...mutations("core/src/internal/attempt.ts", "core/test/retries.test.ts", {
    "a 500 has certainly changed nothing": [outcomeOf, "status >= 300 && status !== 303 && status !== 408"],
    "a 303 has certainly changed nothing": [outcomeOf, "status >= 300 && status < 500 && status !== 408"],
    "a 408 has certainly changed nothing": [outcomeOf, "status >= 300 && status < 500 && status !== 303"],
    "a 429 may have been applied": [outcomeOf, "status >= 300 && status < 429 && status !== 303 && status !== 408"],
    "a refusal may have been applied": ["outcome = outcomeOf(status)", ""]
  }),
  ...mutations("core/src/internal/attempt.ts", "checks/faults/memory.test.ts", {
    "what timed out was not sent": ['let outcome: Outcome = "unknown"', 'let outcome: Outcome = "not-sent"']
  }),
  ...mutations("core/src/internal/attempt.ts", "core/test/response.test.ts > a broken connection ", {
    "a connection that breaks within a body can be one that was never made": [
      "if (head === undefined) outcome = sent",
      "outcome = sent"
    ],
    "a success that can never be read is a broken connection": ["isTransient && head.status < 300", "head.status < 300"]
  }),
  ...mutations("core/src/internal/response.ts", "core/test/response.test.ts > a response without the error envelope ", {
    "a 404 without the envelope is the service's": ["(envelope || status !== 404) && errors", "errors"],
    "a 404 whose error has no code is the service's": [" && coded.test(failure.error)", ""],
    "a 404 whose status is another is the service's": ["failure?.status === status && ", "failure !== undefined && "]
  }),
  ...mutations("core/src/Envelope.ts", "core/test/retryAmbiguity.test.ts", {
    "any object acknowledges a deletion": ["if (!isSigned) {", "if (false) {"]
  }),
  ...mutations("core/src/internal/response.ts", "core/test/response.test.ts", {
    "a code may be in lower case": ["/^[A-Z][A-Z\\d_]*: /", "/^[A-Z][A-Z\\d_]*: /i"],
    "a code may be anywhere in an error": ["/^[A-Z][A-Z\\d_]*: /", "/[A-Z][A-Z\\d_]*: /"],
    "a code needs nothing after it": ["/^[A-Z][A-Z\\d_]*: /", "/^[A-Z][A-Z\\d_]*:/i"],
    "an empty request ID hides that of the header": ["envelope?.requestId || header", "envelope?.requestId ?? header"],
    "a code is one word": ["/^[A-Z][A-Z\\d_]*: /", "/^[A-Z]*: /"]
  }),
  ...mutations("core/src/Envelope.ts", "core/test/response.test.ts", {
    "a success with a status alone is not the service's": ['Predicate.isNumber(property(json, "status"))', "false"],
    "a success with a request ID alone is not the service's": ["(Predicate.isString(own) && own) ||", ""],
    "an empty request ID is one": ["(Predicate.isString(own) && own)", "Predicate.isString(own)"],
    "a success with a request ID in its header is not the service's": ["isSigned = head.requestId ||", "isSigned ="]
  }),
  ...mutations("core/src/internal/transportFailure.ts", "core/test/response.test.ts > a broken connection ", {
    "a connection that was refused may have been applied": ["CONNREFUSED|", ""],
    "a name that is not known may have been applied": ["NOTFOUND|", ""],
    "a connection that took too long may have been applied": ["UND_ERR_(CONN|PRX)", "UND_ERR_PRX"],
    "what undici's proxy did not pass on may have been applied": ["UND_ERR_(CONN|PRX)", "UND_ERR_CONN"],
    "a connection that was reset was never sent": ["^(E(CONNREFUSED|", "^(E(CONNREFUSED|CONNRESET|"],
    "a refused certificate may have been applied": ["    ((refused ||\n", "    (("],
    "every broken connection was never sent": ['? "not-sent" : "unknown"', '? "not-sent" : "not-sent"']
  }),
  ...mutations("core/src/internal/transportFailure.ts", "core/test/response.test.ts > a broken connection ", {
    "a host that became unreachable was never reached": ["!/read|write/.test(syscalls)", "true"],
    "a certificate that may not be a CA's is tried again": ["INVALID|", ""],
    "a certificate too deep in its chain is tried again": ["PATH_LENGTH|", ""],
    "only the outermost error is asked for its code": ["links.length < 5", "links.length < 1"],
    "the message of a transport keeps the URL": ['.replaceAll(reason.request.url, "…")', ""]
  })
]
