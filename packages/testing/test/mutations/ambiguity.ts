import { mutations, type Mutation } from "./Mutation.ts"

const outcomeOf = "status >= 300 && status < 500 && status !== 303 && status !== 408"

/** What is known of the effect of a request whose answer is lost. */
export const ambiguity: ReadonlyArray<Mutation> = [
  ...mutations("core/src/internal/call.ts", "testing/test/RetryAmbiguity.test.ts", {
    "a 404 is no deletion, whatever came before": [
      "ambiguous ? assumeDeleted(operation, status, reason) : Option.none()",
      "Option.none()"
    ],
    "every 404 is a deletion": [
      "ambiguous ? assumeDeleted(operation, status, reason) : Option.none()",
      "assumeDeleted(operation, status, reason)"
    ],
    "a 404 of a read is a success": ['operation.method === "DELETE" && ', ""],
    "a 400 after a lost answer is a deletion": [" && status === 404", ""],
    "a 404 of a gateway is a deletion": [" && operation.errors.some((refusal) => reason instanceof refusal)", ""],
    "the last attempt alone tells whether there was an effect": ["ambiguous ||= outcome", "ambiguous = outcome"],
    "no attempt is held to have been applied": ['ambiguous ||= outcome === "unknown"', ""],
    "an attempt that was not sent counts as applied": [
      'ambiguous ||= outcome === "unknown"',
      'ambiguous ||= outcome !== "refused"'
    ],
    "a refusal counts as applied": ['ambiguous ||= outcome === "unknown"', 'ambiguous ||= outcome !== "not-sent"'],
    "the last attempt alone tells whether the call was sent": ["sent ||= outcome", "sent = outcome"],
    "a call that was sent is not-sent": ['sent ||= outcome !== "not-sent"', ""],
    "an error hides that an attempt may have been applied": ['ambiguous ? "unknown" : sent', "sent"],
    "a deletion without an answer is not flagged in its span": ["yield* telemetry.assumed", ""],
    "a deletion without an answer is not logged": [
      'yield* options.log({ _tag: "AssumedDeleted", ...failed(reason, status) })',
      "undefined"
    ],
    "a deletion without an answer has no request ID": [
      '"requestId" in reason ? { requestId: reason.requestId } : {}',
      "{}"
    ]
  }),
  ...mutations("core/src/internal/attempt.ts", "testing/test/RetryAmbiguity.test.ts", {
    "a 500 has certainly changed nothing": [outcomeOf, "status >= 300 && status !== 303 && status !== 408"],
    "a 303 has certainly changed nothing": [outcomeOf, "status >= 300 && status < 500 && status !== 408"],
    "a 408 has certainly changed nothing": [outcomeOf, "status >= 300 && status < 500 && status !== 303"],
    "a 429 may have been applied": [outcomeOf, "status >= 300 && status < 429 && status !== 303 && status !== 408"],
    "a 404 whose body breaks off is that of the service": ["status >= 300 && status !== 404", "status >= 300"],
    "a refusal whose body does not follow may have been applied": [
      "status === undefined ? outcome : outcomeOf(status)",
      "outcome"
    ],
    "what timed out was not sent": ['fail(timeout(limit), "unknown")', 'fail(timeout(limit), "not-sent")']
  }),
  ...mutations("core/src/internal/attempt.ts", "core/test/response.test.ts > a broken connection ", {
    "a connection that breaks within a body can be one that was never made": [
      "status === undefined ? outcome",
      'status === undefined || outcome === "not-sent" ? outcome'
    ]
  }),
  ...mutations("core/src/internal/answer.ts", "testing/test/RetryAmbiguity.test.ts", {
    "a 404 without the envelope is the service's": ["|| (status === 404 && !enveloped)", ""]
  }),
  ...mutations("core/src/internal/transportFailure.ts", "testing/test/RetryAmbiguity.test.ts", {
    "a connection that was refused may have been applied": ["ECONNREFUSED|", ""],
    "a name that is not known may have been applied": ["ENOTFOUND|", ""],
    "a connection that took too long may have been applied": ["|UND_ERR_CONNECT_TIMEOUT", ""],
    "a connection that was reset was never sent": ["^(ECONNREFUSED|", "^(ECONNREFUSED|ECONNRESET|"],
    "a refused certificate may have been applied": ["malformed || refused || codes", "malformed || codes"],
    "every broken connection was never sent": ['? "not-sent" : "unknown"', '? "not-sent" : "not-sent"']
  }),
  ...mutations("core/src/internal/transportFailure.ts", "core/test/response.test.ts > a broken connection ", {
    "only the outermost error is asked for its code": ["links.length < 5", "links.length < 1"],
    "the message of a transport keeps the URL": ['.replaceAll(reason.request.url, "…")', ""]
  })
]
