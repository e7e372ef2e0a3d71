import { mutations, type Mutation } from "./Mutation.ts"

/** How long an attempt and a call may take. */
export const deadlines: ReadonlyArray<Mutation> = [
  ...mutations("core/src/internal/call.ts", "core/test/deadlines.test.ts", {
    "an attempt may take as long as the call": ["Math.min(millis(deadline.attempt), left)", "left"],
    "an attempt may outlast the call": ["Math.min(millis(deadline.attempt), left)", "millis(deadline.attempt)"],
    "each attempt has the call's whole time": ["() => end - monotonicMillisOf(clock)", "() => total"],
    "an attempt is begun with no time left": ["left < 1\n", "false\n"],
    "a call that is too late to send again fails with a timeout": [
      "error ?? fail(Attempt.timeout(total))",
      "fail(Attempt.timeout(total))"
    ],
    "an attempt after a turn has the time from before it": [
      "const run = attempt(release, timeLeft())",
      "const run = attempt(release, before)"
    ],
    "Deadline.within has no effect": ["{ ...options.deadline, ...fiber.getRef(Deadline.Current) }", "options.deadline"],
    "Deadline.within undoes the client's own deadline": [
      "{ ...options.deadline, ...fiber.getRef(Deadline.Current) }",
      "{ ...Deadline.standard, ...fiber.getRef(Deadline.Current) }"
    ]
  }),
  ...mutations("core/src/internal/policy.ts", "core/test/policy.test.ts", {
    "a wait past the deadline is begun": [" || wait >= timeLeft", ""],
    "only hints are held against the deadline": ["wait >= timeLeft", "hint >= timeLeft"]
  }),
  ...mutations("core/src/internal/clock.ts", "core/test/deadlines.test.ts", {
    "deadlines follow the time of day": [
      "Number(clock.monotonicTimeNanosUnsafe()) / 1e6",
      "clock.currentTimeMillisUnsafe()"
    ]
  }),
  ...mutations("core/src/Deadline.ts", "core/test/deadlines.test.ts", {
    "an attempt may take 11 s": ['attempt: "10 seconds"', 'attempt: "11 seconds"'],
    "a call may take 61 s": ['total: "60 seconds"', 'total: "61 seconds"']
  }),
  ...mutations("core/src/Deadline.ts", "core/test/within.test.ts", {
    "an inner deadline undoes an outer one": ["{ ...outer, ...inner, ", "{ ...inner, "],
    "an inner deadline lengthens an attempt of an outer one": ['...shorter("attempt"), ', ""],
    "an inner deadline outlives an outer one": [', ...shorter("total")', ""],
    "an outer deadline undoes a shorter one inside it": [" && Limits.millis(a) < Limits.millis(b)", ""],
    "Deadline.within takes what cannot be kept": ['Limits.check("deadline", deadline)', ""]
  }),
  ...mutations("core/src/internal/limits.ts", "core/test/options.test.ts", {
    "a limit may be negative": ["[value])))) >= 0", "[value])))) >= -Infinity"],
    "a call may have no attempt": ["Number(value) >= 1", "Number(value) >= 0"],
    "NaN is no time at all": ['typeof duration === "number" ? duration : ', ""]
  }),
  ...mutations("core/src/Client.ts", "core/test/options.test.ts", {
    "a client is built with limits that cannot be kept": [
      "yield* check(`${policy}.${name}`, Limits.ruleOf(`${policy}.${name}`, limit))",
      ""
    ],
    "a client is built with a size that cannot be kept": [', "maxResponseBytes"] as const', "] as const"]
  }),
  ...mutations("node/src/internal/dispatcher.ts", "node/test/connecting.test.ts", {
    "a connection has 10 s, whatever the deadline": ["timeout: 0,", ""],
    "an address has 250 ms, so that a lost SYN makes it unreachable": [
      "autoSelectFamilyAttemptTimeout: addressTimeout,",
      ""
    ]
  }),
  ...mutations("node/src/internal/pool.ts", "node/test/connecting.test.ts", {
    "a connection outlives the request that it was begun for": [
      'lane.socket?.destroy(new Error("no request is waiting for this connection"))',
      "undefined"
    ]
  }),
  ...mutations("core/src/internal/attempt.ts", "core/test/deadlines.test.ts", {
    "neither deadline nor interruption reaches the transport": [
      "client.execute(request)",
      "Effect.flatten(Effect.promise(() => Effect.runPromiseExit(client.execute(request))))"
    ]
  }),
  ...mutations("core/src/internal/attempt.ts", "core/test/deadlines.test.ts", {
    "a body may stall for ever": ["Effect.map(read(response), ", "Effect.map(Effect.uninterruptible(read(response)), "]
  }),
  ...mutations("core/src/internal/call.ts", "core/test/retries.test.ts", {
    "a wait cannot be interrupted": ["clock.sleep(wait)", "Effect.uninterruptible(clock.sleep(wait))"]
  }),
  ...mutations("core/src/internal/body.ts", "core/test/response.test.ts > the size limit ", {
    "a body is read to its end, however long": ["if (size > limit) return Effect.fail(tooLarge)", ""],
    "a body of just the limit is too long": ["size > limit", "size >= limit"]
  })
]
