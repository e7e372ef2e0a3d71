import { Cause, Duration, Exit, Option, Predicate } from "effect"
import { type Attempt, type Call, describe, type Exchange, type Failure, type Journal } from "./journal.ts"
import type { Key, Plan } from "./plan.ts"
import * as SerialOrder from "./SerialOrder.ts"

/** Milliseconds by which the client's clock, read in whole microseconds, may differ from the timers. */
const tolerance = 0.01
/** Milliseconds by which a deadline may be passed: timers are no finer, and a sum of fractions is not exact. */
const timer = 1 + 5e-7

const millis = (duration: Duration.Input) => Duration.toMillis(Duration.fromInputUnsafe(duration))
const transient = [408, 429, 500, 502, 503, 504]

const failure = ({ exit }: Call): Failure | undefined =>
  exit === undefined ? undefined : Option.getOrUndefined(Exit.findErrorOption(exit))
const succeeded = ({ exit }: Call) => exit !== undefined && Exit.isSuccess(exit)

const bodyCut = ({ fault, status }: Attempt) =>
  status !== undefined && (fault._tag === "Truncate" || fault._tag === "Stall")
/** The body of a success did: the rest of the response is not known. */
const successCut = (attempt: Attempt) => bodyCut(attempt) && (attempt.status ?? 0) < 300
/** A success that is none: a page from somewhere else. */
const forged = ({ fault, status }: Attempt) => fault._tag === "Status" && fault.status === 200 && status === 200

const limit = ({ call, sentAt }: Attempt) =>
  Math.min(millis(call.deadline.attempt), call.startedAt + millis(call.deadline.total) - sentAt)

/** When the attempt was over for the client; `undefined` when its caller left before. */
const overAt = (attempt: Attempt): number | undefined =>
  attempt.fault._tag === "Stall" && attempt.status !== undefined ? attempt.sentAt + limit(attempt) : attempt.endedAt

const timedOut = (attempt: Attempt) =>
  (attempt.status === undefined && !attempt.broken) || (successCut(attempt) && attempt.fault._tag === "Stall")

/** Codes that tell that no request left: the name, the connection or the certificate was at fault. */
const unsent = new Set(["ENOTFOUND", "CERT_HAS_EXPIRED"])

/** Whether the client can know that the attempt changed nothing, or never left. */
const knowledge = (attempt: Attempt): Failure["outcome"] => {
  const { fault } = attempt
  if (attempt.broken && (fault._tag === "DropBeforeSend" || (fault._tag === "Break" && unsent.has(fault.code)))) {
    return "not-sent"
  }
  const { status = 0 } = attempt
  return status > 303 && status < 500 && status !== 408 ? "refused" : "unknown"
}

/** The longest wait that the policy allows before the next attempt, unless the service asks for a longer one. */
const longestWait = ({ call, number, status }: Attempt) =>
  Math.min(
    millis(call.retry.cap),
    millis(status === 429 ? call.retry.baseRateLimited : call.retry.base) * 2 ** (number - 1)
  )

const price = (attempt: Attempt) =>
  timedOut(attempt) ? attempt.call.retry.budget.timeout : attempt.call.retry.budget.retry

const pairs = (call: Call) =>
  call.attempts.flatMap((attempt, index) => {
    const next = call.attempts[index + 1]
    return next === undefined ? [] : [[attempt, next] as const]
  })

type Rule = (plan: Plan, journal: Journal) => Iterable<string>

const each = (rule: (call: Call, plan: Plan) => Iterable<string>): Rule =>
  function* (plan, { calls }) {
    for (const call of calls) {
      for (const message of rule(call, plan)) yield `call ${call.number} (${describe(call.ask)}): ${message}`
    }
  }

/** Whether a key opens the service at the time of an exchange; `undefined` when it expires while that lasts. */
const isActive = ({ enabled, expiresAt }: Key, [from, to]: Exchange["walls"]): boolean | undefined =>
  !enabled ? false : to < expiresAt ? true : from >= expiresAt ? false : undefined

const expected = ({ ask, caller }: Exchange, deleted: ReadonlySet<Key>): number => {
  if (ask.kind === "list") return 200
  if (ask.organization !== caller.organization) return 403
  if (ask.kind === "create") return 200
  if (ask.kind === "get") return ask.exists ? 200 : 404
  if (ask.key === caller) return 400
  return ask.key === undefined || ask.key.organization !== caller.organization || deleted.has(ask.key) ? 404 : 200
}

/** The deleted keys after an exchange that took effect at one moment; `undefined` when its response is wrong then. */
const step = (exchange: Exchange, deleted: ReadonlySet<Key>): ReadonlySet<Key> | undefined => {
  const { applied, ask, caller, status } = exchange
  const active = deleted.has(caller) ? false : isActive(caller, exchange.walls)
  const victim = ask.kind === "delete" && (applied || status === 200) ? ask.key : undefined
  const after = victim === undefined ? deleted : new Set([...deleted, victim])
  // the service was interrupted, or its store failed: only what it did counts
  if (status === undefined || status === 503) {
    return victim === undefined || (active !== false && expected(exchange, deleted) === 200) ? after : undefined
  }
  if (status === 401) return active === true ? undefined : deleted
  if (active === false) return undefined
  return status === 429 ? deleted : status === expected(exchange, deleted) ? after : undefined
}

export const rules: Readonly<Record<string, Rule>> = {
  "no tenant sees another's data": each(function* (call, plan) {
    const { ask, client, exit } = call
    const own = client.key.organization
    const result = exit !== undefined && Exit.isSuccess(exit) ? exit.value : failure(call)?.reason.message
    const shown = JSON.stringify(result ?? null)
    for (const organization of plan.organizations) {
      if (organization !== own && shown.includes(organization.marker)) yield `it shows ${shown}`
    }
    if (!succeeded(call)) return
    if (ask.kind !== "delete" && !shown.includes(own.marker)) yield `it does not show ${own.marker}: ${shown}`
    if (ask.kind !== "list" && ask.organization !== own) yield "it reached into another organization"
    if (ask.kind === "get" && !ask.exists) yield `it found what is not there: ${shown}`
  }),

  "what a call creates is created once": each(function* (call) {
    if (call.ask.kind !== "create") return
    const times = call.attempts.filter(({ exchange }) => exchange?.applied === true).length
    if (times > 1) yield `it was created ${times} times`
    if (times === 0 && succeeded(call)) yield "it succeeded, and nothing was created"
  }),

  // in which no key deletes itself, a deleted one is not let in, none goes by itself, and nothing has 500
  "the responses fit a serial order, and a key is left": function* (plan, { exchanges }) {
    for (const organization of plan.organizations) {
      const own = exchanges.filter(({ caller }) => caller.organization === organization)
      const { state: deleted, unexplained } = SerialOrder.find(own, new Set<Key>(), step)
      if (unexplained.length > 0) {
        const labels = unexplained.slice(0, 5).map(({ label }) => label)
        yield `no order explains ${labels.join(", ")} in organization ${organization.name}`
      }
      const keys = plan.keys.filter((key) => key.organization === organization)
      if (keys.every((key) => deleted.has(key))) yield `organization ${organization.name} has no key left`
    }
  },

  "every call ends": each(function* ({ endedAt, exit }) {
    if (exit === undefined || endedAt === undefined) yield "it never ended"
    else if (Exit.isFailure(exit) && !Exit.hasFails(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
      yield `it died: ${Cause.pretty(exit.cause)}`
    }
  }),

  "a call ends by its deadline": each(function* (call) {
    const { attempts, deadline, endedAt = Infinity, startedAt } = call
    const [took, total] = [endedAt - startedAt, millis(deadline.total)]
    if (took > total + timer) yield `it took ${took} ms of ${total}`
    const [error, last] = [failure(call), attempts.at(-1)]
    // a call whose time is up before it can send again ends by itself
    const ofLast =
      last !== undefined && error !== undefined && error.reason._tag !== "Throttled" && took < total - timer
    if (ofLast && endedAt > last.sentAt + limit(last) + timer) yield `it outlived its last attempt of ${limit(last)} ms`
    for (const attempt of attempts) {
      const [over, most] = [attempt.endedAt ?? Infinity, limit(attempt)]
      if (most <= 0) yield `attempt ${attempt.number} was sent ${-most} ms after it`
      if (over > attempt.sentAt + most + timer)
        yield `attempt ${attempt.number} took ${over - attempt.sentAt} ms of ${most}`
    }
  }),

  "an interruption acts at once": each(function* ({ endedAt, interruptedAt }) {
    if (interruptedAt !== undefined && endedAt !== undefined && endedAt > interruptedAt) {
      yield `interrupted at ${interruptedAt}, it went on until ${endedAt}`
    }
  }),

  "attempts stay within the policy": each(function* (call) {
    const { attempts, retry } = call
    if (attempts.length > retry.attempts) yield `${attempts.length} attempts of ${retry.attempts}`
    const error = failure(call)
    if (error !== undefined && error.attempts !== attempts.length) {
      yield `the error speaks of ${error.attempts} attempts, there were ${attempts.length}`
    }
  }),

  "what is final is not sent again": each(function* (call) {
    for (const [attempt] of pairs(call)) {
      const { number, status } = attempt
      // only a whole response tells that it is a success; a refusal is one by its status
      if (status === undefined || transient.includes(status) || successCut(attempt)) continue
      yield `attempt ${number} got ${status}, and then it sent another`
    }
  }),

  "without an idempotency key a POST that may have been applied is not sent again": each(function* (call) {
    if (call.ask.kind !== "create" || call.ask.keyed) return
    for (const [attempt] of pairs(call)) {
      if (knowledge(attempt) === "unknown") yield `attempt ${attempt.number} may have been applied, and it sent another`
    }
  }),

  "an idempotency key is the same for all attempts of a call, and another for each call": function* (_, { calls }) {
    const used = new Map<string, number>()
    for (const { ask, attempts, number } of calls) {
      const keys = new Set(attempts.map(({ idempotencyKey }) => idempotencyKey))
      if (keys.size > 1) yield `the attempts of call ${number} have ${keys.size} keys`
      for (const key of keys) {
        if ((key !== undefined) !== (ask.kind === "create" && ask.keyed)) {
          yield `call ${number} has ${key === undefined ? "no key" : "a key that was not asked for"}`
        }
        if (key === undefined) continue
        if (used.has(key)) yield `calls ${used.get(key)} and ${number} have the same key`
        used.set(key, number)
      }
    }
  },

  "waits are within the policy and no shorter than asked": each(function* (call) {
    for (const [attempt, next] of pairs(call)) {
      const over = overAt(attempt)
      if (over === undefined) continue
      const [wait, hint] = [next.sentAt - over, attempt.hint ?? 0]
      if (wait < hint - tolerance) yield `it waited ${wait} ms after attempt ${attempt.number}, asked for ${hint}`
      if (hint > millis(call.retry.maxHint)) yield `it waited for ${hint} ms although the policy has a lower limit`
      const longest = Math.max(hint, longestWait(attempt))
      if (call.client.pacing === "none" && wait > longest + tolerance) {
        yield `it waited ${wait} ms after attempt ${attempt.number}, at most ${longest} are allowed`
      }
    }
  }),

  "a call gives up only for a reason": function* (_, { calls }) {
    for (const call of calls) {
      const { ask, attempts, client, deadline, endedAt = 0, retry, startedAt } = call
      const [error, last] = [failure(call), attempts.at(-1)]
      if (error === undefined || last === undefined || error.reason._tag === "Throttled") continue
      if (!error.isRetryable || attempts.length >= retry.attempts) continue
      if (ask.kind === "create" && !ask.keyed && knowledge(last) === "unknown") continue
      const left = startedAt + millis(deadline.total) - endedAt
      const hint = last.hint ?? 0
      const failed = calls
        .filter((other) => other.client === client && other.startedAt <= endedAt)
        .reduce((sum, { attempts }) => sum + attempts.length, 0)
      const { budget } = client.retry
      const affordable = (failed + 1) * Math.max(budget.retry, budget.timeout) <= budget.capacity
      if (affordable && hint <= millis(retry.maxHint) && Math.max(hint, longestWait(last)) < left - tolerance) {
        yield `call ${call.number} gave up after ${attempts.length} attempts of ${retry.attempts}, with ${left} ms left`
      }
    }
  },

  "retries are paid from the budget": function* (plan, { calls }) {
    for (const client of plan.clients) {
      const { capacity, success } = client.retry.budget
      // what happens at one moment counts together: its order cannot be seen from outside
      const moments = new Map<number, number>()
      const flow = (at: number, tokens: number) => {
        const moment = Math.round(at / tolerance)
        moments.set(moment, (moments.get(moment) ?? 0) + tokens)
      }
      for (const call of calls.filter((call) => call.client === client)) {
        const retried = pairs(call)
        for (const [attempt, next] of retried) flow(overAt(attempt) ?? next.sentAt, -price(attempt))
        const paid = retried.at(-1)?.[0]
        const earned = paid === undefined ? success : price(paid)
        if (succeeded(call) && call.endedAt !== undefined) flow(call.endedAt, earned)
      }
      let tokens = capacity
      for (const [moment, flow] of [...moments].sort(([a], [b]) => a - b)) {
        tokens += flow
        if (tokens < 0) {
          yield `client ${client.name} has spent ${-tokens} tokens more than it had at ${moment * tolerance} ms`
          break
        }
        tokens = Math.min(capacity, tokens)
      }
    }
  },

  "a fixed pace is kept": function* (plan, { calls }) {
    for (const client of plan.clients) {
      const { name, pacing } = client
      if (!Predicate.isObject(pacing)) continue
      const sent = calls
        .filter((call) => call.client === client)
        .flatMap(({ attempts }) => attempts.map(({ sentAt }) => sentAt))
        .sort((a, b) => a - b)
      for (const [index, at] of sent.entries()) {
        const earlier = sent[index - pacing.limit]
        if (earlier !== undefined && at - earlier < pacing.window - tolerance) {
          yield `client ${name} sent ${pacing.limit + 1} requests within ${at - earlier} ms of ${pacing.window}`
        }
      }
    }
  },

  "a learned limit is kept": function* (plan, { calls }) {
    const { faults, late, store } = plan.weather
    if (faults + late + store > 0 || plan.rateLimit === undefined || plan.jumps.length > 0) return
    const window = millis(plan.rateLimit.window)
    for (const client of plan.clients) {
      if (client.pacing !== "adaptive" || plan.clients.some((other) => other !== client && other.key === client.key))
        continue
      const attempts = calls.filter((call) => call.client === client).flatMap(({ attempts }) => attempts)
      const responded = attempts.filter(({ status }) => status !== undefined)
      const learned = Math.min(...responded.map(({ endedAt = Infinity }) => endedAt))
      // a request that had no response may have taken a place all the same: nobody learns of it
      const lost = attempts.filter(({ status }) => status === undefined).map(({ sentAt }) => sentAt)
      for (const { call, endedAt = 0, number, sentAt, status } of attempts) {
        const explained = lost.some((at) => at < sentAt && sentAt < at + 2 * window)
        if (status === 429 && sentAt > learned + window && !explained) {
          yield `client ${client.name} met a 429 in attempt ${call.number}.${number} at ${endedAt}, long after its first response`
        }
      }
    }
  },

  "a response is passed on as it is": each(function* (call) {
    const last = call.attempts.at(-1)
    const error = failure(call)
    if (last?.status === undefined || successCut(last) || call.interruptedAt !== undefined) return
    if (error?.reason._tag === "Throttled") return
    const { status } = last
    if (forged(last)) {
      if (error?.reason._tag !== "InvalidResponse") yield "a page from somewhere else was taken for a response"
    } else if (status === 200) {
      if (!succeeded(call)) yield `the last response was ${status}, and it failed`
    } else if (succeeded(call)) {
      const unknown = call.attempts.slice(0, -1).some((attempt) => knowledge(attempt) === "unknown")
      // the service's own, and the whole of it
      const own = last.fault._tag !== "Status" && !bodyCut(last)
      if (call.ask.kind !== "delete" || status !== 404 || !unknown || !own)
        yield `the last response was ${status}, and it succeeded`
    } else if (error !== undefined) {
      if (error.status !== status) yield `the last response was ${status}, the error says ${error.status}`
      const isNotFound = error.reason._tag.endsWith("NotFound")
      if (isNotFound && (last.fault._tag === "Status" || bodyCut(last))) {
        yield `the last response was a 404 from somewhere else, or not all of one, and it says ${error.reason._tag}`
      }
    }
  }),

  "an outcome is told as it is": each(function* (call) {
    const error = failure(call)
    if (error === undefined) return
    const { attempts } = call
    const applied = attempts.some(({ exchange }) => exchange?.applied === true)
    const seen = attempts.some(({ exchange }) => exchange !== undefined)
    if (error.outcome === "not-sent" && seen) yield "it says not-sent, and the service saw it"
    if (error.outcome === "refused" && applied) yield "it says refused, and the work was done"
    // a page with a status of success is not known to mean anything
    const known = attempts.map((attempt) => (forged(attempt) ? "unknown" : knowledge(attempt)))
    const right = known.includes("unknown") ? "unknown" : known.includes("refused") ? "refused" : "not-sent"
    if (error.outcome !== right) yield `it says ${error.outcome}, its attempts say ${right}`
  })
}
