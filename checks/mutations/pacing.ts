import { mutations, type Mutation } from "./Mutation.ts"

/** Turns, and what is learned from answers. */
export const pacing: ReadonlyArray<Mutation> = [
  ...mutations("core/src/Pacing.ts", "core/test/pacing.test.ts > adaptive ", {
    "the next in the line is not told that it is the first": [
      "line.splice(line.indexOf(self), 1)\n        if (line[0] !== undefined) wake(line[0])",
      "line.splice(line.indexOf(self), 1)"
    ],
    "the first request does not go alone": ["let remaining = 0", "let remaining = Infinity"],
    "the first request is waited for a minute": ["const patience = 1000", "const patience = 60_000"],
    "a turn is not counted": ["remaining--", ""],
    "what others use up is not heeded": [
      "Math.min(Math.max(remaining, certain), stated.remaining)",
      "Math.max(remaining, certain)"
    ],
    "an answer that was overtaken takes turns away": [
      "Math.min(Math.max(remaining, certain), stated.remaining)",
      "certain"
    ],
    "an answer that states nothing ends the counting": ["} else if (!counted) {", "} else {"],
    "a 429 takes no turn away": ["refused = true\n        remaining = 0", "refused = true"],
    "all go at once after a 429 without a limit": ["refused ? remaining + 2 : Infinity", "Infinity"],
    "one more goes with each answer after a 429 without a limit": ["remaining + 2", "remaining + 1"],
    "Retry-After does not hold the others back": ["Math.max(stated.reset ?? 0, wait)", "stated.reset ?? 0"],
    "the reset is not waited for": ["if (now < resetAt) return", "if (false) return"],
    "one answer shuts the client for good": ["Math.min(reset, longest)", "reset"],
    "all go at once at the reset": ["remaining = 1\n", "remaining = limit ?? 1\n"],
    "what is answered stays under way": ["underWay--", ""]
  }),
  ...mutations("core/src/internal/head.ts", "core/test/pacing.test.ts > adaptive ", {
    "an HTTP date is read by the clock of the waits": [
      "Hint.retryAfter(source)",
      "Hint.retryAfter({ ...source, nowMillis: source.at })"
    ]
  }),
  ...mutations("core/src/Pacing.ts", "core/test/pacing.test.ts > a call that would wait past its deadline ", {
    "who comes last is served first": ["line.push(self)", "line.unshift(self)"],
    "whoever wakes first takes a turn": ["const ahead = line.indexOf(self)", "const ahead = 0"],
    "a call without hope waits for its deadline": ["if (now + turn.least >= deadline)", "if (now >= deadline)"],
    "a limit of 0 is believed": ["stated.limit || limit", "stated.limit ?? limit"],
    "a call is not told how long it would have waited": ["throttled(turn.least)", "throttled(0)"],
    "an answer that takes away all hope is not heard": [
      "now + estimate(now, ahead) >= deadline).forEach(wake)",
      "false).forEach(wake)"
    ],
    "the end of a long line hopes for the next window": [
      "(limit === undefined ? 0 : Math.floor((ahead - remaining) / limit) * window)",
      "0"
    ],
    "fixed: no turn is noted": ["turns.push(now)", ""],
    "fixed: half the window is waited for": ["oldest + window - now", "oldest + window / 2 - now"],
    "fixed: one request less than the limit": [
      "turns[turns.length - limit + (ahead % limit)]",
      "turns[turns.length - limit + 1 + (ahead % limit)]"
    ],
    "fixed: the end of a long line hopes for the next window": ["Math.floor(ahead / limit) * window", "0"]
  }),
  ...mutations("core/src/Pacing.ts", "core/test/pacing.test.ts > the line ", {
    "who leaves the line stays in it": ["line.splice(line.indexOf(self), 1)", ""],
    "who waits in the line cannot be interrupted": [
      "restore(Effect.timeoutOption(Deferred.await(self.wake), Duration.millis(pause)))",
      "Effect.timeoutOption(Deferred.await(self.wake), Duration.millis(pause))"
    ],
    "a window is tried that those under way may fill": ["heard && underWay >= (limit ?? 1)", "false"]
  }),
  ...mutations("core/src/internal/call.ts", "core/test/telemetry.test.ts", {
    "without a deadline, no wait for a turn is measured": ["monotonicMillisOf(clock) - began", "before - timeLeft()"]
  }),
  ...mutations("core/src/Pacing.ts", "core/test/pacing.test.ts > fixed ", {
    "a window may be no duration": ["window: Limits.duration", 'window: ["", () => true]'],
    "fixed: a limit of 0 is taken": ["{ ...options, limit, ", "{ ...options, limit: limit || 1, "],
    "fixed: a limit of one and a half is taken": ["{ ...options, limit, ", "{ ...options, limit: Math.ceil(limit), "]
  }),
  ...mutations(
    "core/src/Pacing.ts",
    "core/test/pacing.test.ts > adaptive: never a 429 once an answer has stated the limit",
    {
      "requests under way are not counted against an answer": ["stated.remaining - overlapping", "stated.remaining"],
      "the last reset that was heard counts, not the furthest": [
        "Math.max(resetAt, at + Math.min(reset, longest))",
        "at + Math.min(reset, longest)"
      ],
      "those under way are not waited for at the reset": ["if (underWay > 0) {", "if (false) {"],
      "what is answered ends twice": ["if (!open) return", ""]
    }
  ),
  ...mutations("core/src/Pacing.ts", "core/test/deadlines.test.ts > a turn and the deadline ", {
    "a turn that comes with the deadline is taken": ["ahead === 0 && now < deadline", "ahead === 0"]
  }),
  ...mutations("core/src/Pacing.ts", "core/test/pacing.test.ts > the line ", {
    "a request that is never answered stays under way": ["Effect.sync(() => release(undefined))", "Effect.void"],
    "what a caller shields from interruption leaves the line": [
      "restore(Effect.timeoutOption(",
      "Effect.interruptible(Effect.timeoutOption("
    ]
  }),
  ...mutations("core/src/internal/call.ts", "core/test/pacing.test.ts > the line ", {
    "each call is paced by itself": [
      "withTurn(before, (release) =>",
      "((left: number, use: Parameters<typeof withTurn>[1]) => Effect.flatMap(options.pacing!.make, (own) => own(left, use)))(before, (release) =>"
    ]
  }),
  ...mutations("core/src/internal/attempt.ts", "core/test/pacing.test.ts > adaptive ", {
    "answers teach nothing": ["release?.(received)", ""]
  }),
  ...mutations("core/src/CloudError.ts", "core/test/pacing.test.ts > a call that would wait past its deadline ", {
    "a call that was held back cannot succeed later": [" || reason instanceof Throttled", ""]
  })
]
