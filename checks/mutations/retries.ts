import { mutations, type Mutation } from "./Mutation.ts"

const transient = "[408, 429, 500, 502, 503, 504]"
const either = "status === 429 ? retry.baseRateLimited : retry.base"
const cost = "isTimeout ? retry.budget.timeout : retry.budget.retry"

/** What is sent again, how often and after which wait. */
export const retries: ReadonlyArray<Mutation> = [
  ...mutations("core/src/internal/policy.ts", "core/test/policy.test.ts", {
    "one attempt more than the policy allows": ["attempts >= retry.attempts", "attempts > retry.attempts"],
    "every failure is sent again": ["!state.isRetryable || ", ""],
    "the wait does not grow": ["base * 2 ** (attempts - 1)", "base"],
    "the wait grows from the first on": ["2 ** (attempts - 1)", "2 ** attempts"],
    "the wait grows without a cap": [
      "Math.min(millis(retry.cap), base * 2 ** (attempts - 1))",
      "base * 2 ** (attempts - 1)"
    ],
    "the wait is not drawn by chance": ["random * Math.min", "Math.min"],
    "only half of the wait is drawn by chance": ["random * Math.min", "(0.5 + random / 2) * Math.min"],
    "a 429 is waited for like a 503": [either, "retry.base"],
    "a 503 is waited for like a 429": [either, "retry.baseRateLimited"]
  }),
  ...mutations("core/src/internal/call.ts", "core/test/retries.test.ts", {
    "Retry.within has no effect": ["{ ...options.retry, ...fiber.getRef(Retry.Current) }", "options.retry"],
    "Retry.within undoes the client's own policy": [
      "{ ...options.retry, ...fiber.getRef(Retry.Current) }",
      "{ ...Retry.standard, ...fiber.getRef(Retry.Current) }"
    ]
  }),
  ...mutations("core/src/Retry.ts", "core/test/within.test.ts", {
    "Retry.within undoes one around it": ["(outer) => ({ ...outer, ...policy })", "() => policy"],
    "Retry.within is undone by one around it": ["{ ...outer, ...policy }", "{ ...policy, ...outer }"],
    "Retry.within takes what cannot be kept": ['Limits.check("retry", policy)', ""]
  }),
  ...mutations("core/src/CloudError.ts", "core/test/retries.test.ts", {
    "a 408 is not sent again": [transient, "[429, 500, 502, 503, 504]"],
    "a 429 is not sent again": [transient, "[408, 500, 502, 503, 504]"],
    "a 500 is not sent again": [transient, "[408, 429, 502, 503, 504]"],
    "a 502 is not sent again": [transient, "[408, 429, 500, 503, 504]"],
    "a 503 is not sent again": [transient, "[408, 429, 500, 502, 504]"],
    "a 504 is not sent again": [transient, "[408, 429, 500, 502, 503]"],
    "a 400 is sent again": [transient, "[400, 408, 429, 500, 502, 503, 504]"],
    "a 404 is sent again": [transient, "[404, 408, 429, 500, 502, 503, 504]"],
    "a 501 is sent again": [transient, "[408, 429, 500, 501, 502, 503, 504]"]
  }),
  ...mutations("core/src/CloudError.ts", "checks/faults/memory.test.ts", {
    "an attempt that timed out is not sent again": ["reason instanceof Timeout || ", ""],
    "a broken connection is not sent again": ["return reason.transient", "return false"],
    "a body that does not decode is sent again": [
      "reason instanceof Timeout ||",
      "reason instanceof InvalidResponse ||"
    ]
  }),
  ...mutations("core/src/internal/transportFailure.ts", "core/test/response.test.ts > a broken connection ", {
    "a certificate that is refused is sent again": ["transient: !malformed && !refused", "transient: !malformed"]
  }),
  ...mutations("core/src/internal/attempt.ts", "checks/faults/memory.test.ts", {
    "a refusal whose body breaks off is sent again": [
      "incomplete(reason, reason.transient)",
      "ended(Result.fail(reason))"
    ],
    "a refusal whose body stalls is sent again": ["incomplete(timeout(limit), true)", "Result.fail(timeout(limit))"],
    "a 404 whose body does not follow is sent again": ["head.status < 300", "head.status < 300 || head.status === 404"]
  }),
  ...mutations("core/src/internal/attempt.ts", "checks/faults/memory.test.ts", {
    "a success whose body does not follow is not sent again": [
      "head === undefined || (isTransient && head.status < 300)",
      "head === undefined"
    ]
  }),
  ...mutations("core/src/Retry.ts", "core/test/policy.test.ts", {
    "4 attempts unless a policy says otherwise": ["attempts: 3,", "attempts: 4,"],
    "a first wait of up to 200 ms": ['base: "100 millis"', 'base: "200 millis"'],
    "a first wait of up to 1 s after a 429": ['baseRateLimited: "500 millis"', 'baseRateLimited: "1 second"'],
    "waits of up to 40 s": ['cap: "20 seconds"', 'cap: "40 seconds"'],
    "Retry.none sends twice": ["Partial<Retry> = { attempts: 1 }", "Partial<Retry> = { attempts: 2 }"],
    "Retry.patient has no more patience": ["attempts: 10,", "attempts: 3,"]
  })
]

/** The waits that the service asks for. */
export const hints: ReadonlyArray<Mutation> = [
  ...mutations("core/src/internal/policy.ts", "core/test/policy.test.ts", {
    "a hint is not waited for": ["Math.max(hint, jitter)", "jitter"],
    "a hint is the wait, not a floor for it": ["Math.max(hint, jitter)", "hint > 0 ? hint : jitter"],
    "a hint beyond the longest is waited for": ["hint > millis(retry.maxHint) || ", ""],
    "a hint of just the longest is not waited for": ["hint > millis(retry.maxHint)", "hint >= millis(retry.maxHint)"],
    "a hint is held against the whole deadline, not what is left of it": ["hint >= timeLeft", "hint >= 60_000"]
  }),
  ...mutations("core/src/Retry.ts", "core/test/policy.test.ts", {
    "hints of up to 61 s are waited for": ['maxHint: "60 seconds"', 'maxHint: "61 seconds"'],
    "the longest hint is 59 s": ['maxHint: "60 seconds"', 'maxHint: "59 seconds"'],
    "Retry.patient waits for no longer hints": [', maxHint: "5 minutes"', ""]
  }),
  ...mutations("core/src/internal/hint.ts", "core/test/hint.test.ts", {
    "Retry-After at a moment is one in decades": [
      "if (seconds !== undefined) return wait(seconds, head)",
      "if (seconds !== undefined) return seconds * 1000"
    ],
    "hints are read as milliseconds": ["seconds < 1e9 ? seconds * 1000", "seconds < 1e9 ? seconds"],
    "a reset at a moment is one in decades": ["seconds < 1e9", "true"],
    "a reset in decades is one at a moment": ["seconds < 1e9", "seconds < 999_999_999"],
    "milliseconds since 1970 are taken for seconds": ["seconds < 1e11 ? seconds * 1000 : seconds", "seconds * 1000"],
    "a moment that has passed is waited for": ["Math.max(0, millis - ", "Math.abs(millis - "],
    "a reset may have no fraction": ["/^\\d+(\\.\\d+)?$/", "/^\\d+$/"],
    "the reset of a limit is a hint whatever the status": [
      "head.status === 429 ? reset(head) : undefined",
      "reset(head)"
    ],
    "the reset of a limit goes before Retry-After": [
      "const seconds = number(asked)",
      "const seconds = reset(head) === undefined ? number(asked) : undefined"
    ],
    "Retry-After may be no date": ["at > 0 ? until(at, head) : ", ""],
    "a date counts from the client's clock": ['date(headers["date"]) || nowMillis', "nowMillis"],
    "a date without a zone is local": ['text.replace(/( GMT)?$/, " GMT")', "text"],
    "any year is a date": ["httpDate.test(text) ?", "text ?"],
    "of several limits the one with the most left binds": ["b.remaining < a.remaining", "b.remaining > a.remaining"],
    "of several limits used up the one reset first binds": [
      "(b.reset ?? 0) > (a.reset ?? 0)",
      "(b.reset ?? 0) < (a.reset ?? 0)"
    ]
  }),
  ...mutations("core/src/Contract.ts", "core/test/Contract.test.ts", {
    "for HttpApiClient a date in Retry-After counts from the client's clock": ["read?.text, date }", "read?.text }"],
    "for HttpApiClient a date in Retry-After counts from 1970": ["nowMillis: read.nowMillis", "nowMillis: 0"]
  }),
  ...mutations("core/src/internal/call.ts", "core/test/retries.test.ts", {
    "a hint is lost with the body of its answer": [
      "hint: head?.retryAfter ?? 0",
      'hint: "retryAfter" in reason ? (head?.retryAfter ?? 0) : 0'
    ]
  })
]

/** The bucket that retries are paid from. */
export const budget: ReadonlyArray<Mutation> = [
  ...mutations("core/src/internal/retryBudget.ts", "core/test/retryBudget.test.ts", {
    "retries cost nothing": ["available -= cost", ""],
    "the bucket has no bottom to fill up to": ["Math.min(capacity, available + tokens)", "available + tokens"],
    "nothing fills the bucket": ["available + tokens", "available"]
  }),
  ...mutations("core/src/internal/policy.ts", "core/test/policy.test.ts", {
    "the last tokens pay for nothing": ["tokens < cost", "tokens <= cost"],
    "the bucket gives more than it holds": ["tokens < cost", "tokens <= 0"],
    "a retry after a timeout costs no more than another": [cost, "retry.budget.retry"],
    "every retry costs as much as one after a timeout": [cost, "retry.budget.timeout"]
  }),
  ...mutations("core/src/internal/call.ts", "core/test/rotation.test.ts > credentials that are an Effect ", {
    "a renewal takes the price of the retry before it": ["refund = cost || refund\n", "refund = cost\n"]
  }),
  ...mutations("core/src/internal/call.ts", "core/test/deadlines.test.ts > a turn and the deadline ", {
    "a retry that gets no turn is paid for": ["Effect.andThen(deposit(paid), ", "Effect.andThen(Effect.void, "]
  }),
  ...mutations("core/src/internal/call.ts", "core/test/retryBudget.test.ts", {
    "an empty bucket stops no retry": ["tokens: budget.available(),", "tokens: Infinity,"],
    "a retry that succeeds does not get its price back": ["refund = cost || refund\n", "\n"],
    "a first attempt that succeeds brings in nothing": ["let refund = options.retry.budget.success", "let refund = 0"],
    "each call has a bucket of its own": [
      "let attempts = 0",
      "const budget = RetryBudget.make(options.retry.budget)\n      let attempts = 0"
    ],
    "a retry that is not made is paid for": [
      'if (decision._tag === "Fail") {',
      'if (decision._tag === "Fail") {\n          budget.withdraw(options.retry.budget.retry)'
    ]
  }),
  ...mutations("core/src/Retry.ts", "core/test/retryBudget.test.ts", {
    "the bucket holds 505 tokens": ["capacity: 500", "capacity: 505"],
    "a retry costs 4": ["retry: 5,", "retry: 4,"],
    "a retry after a timeout costs 5": ["timeout: 10,", "timeout: 5,"],
    "a success brings in 2": ["success: 1 }", "success: 2 }"]
  })
]
