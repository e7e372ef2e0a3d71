import type * as Client from "@cloud-management/client/Client"
import * as Deadline from "@cloud-management/client/Deadline"
import * as Pacing from "@cloud-management/client/Pacing"
import * as Retry from "@cloud-management/client/Retry"
import * as Duration from "effect/Duration"
import * as Record from "effect/Record"
import { choice, hour, millis, tokens, whole, time, type Field, type Value } from "./field.ts"

/** What decides how a call ends. All but the last two are options of the client. */
export const fields = {
  attempts: whole("Maximum attempts", 1, 100),
  attempt: millis("Deadline per attempt"),
  total: millis("Deadline per call"),
  pacing: choice("Pacing", { None: "none", Adaptive: "the service's rate limit", Fixed: "your own limit" }),
  limit: whole("Own limit", 1, 1_000_000, "requests"),
  window: millis("Own limit in"),
  base: millis("Longest first backoff"),
  baseRateLimited: millis("Longest first backoff after a 429"),
  cap: millis("Longest backoff"),
  maxHint: millis("Longest wait at the service's request"),
  capacity: tokens("Retry budget"),
  retry: tokens("Cost of a retry"),
  timeout: tokens("Cost after a timeout"),
  success: tokens("Earned by a success"),
  clients: choice("Clients", { one: "one for all calls", each: "one for each call" }),
  jitter: choice("Backoff", { full: "random (full jitter)", none: "always the longest" })
}
export type Policy = { readonly [Name in keyof typeof fields]: Value<(typeof fields)[Name]> }

const of = (retry: Partial<Retry.Retry>, total = Deadline.standard.total): Policy => {
  const millisOf = (duration: Duration.Input) => Duration.toMillis(Duration.fromInputUnsafe(duration))
  const { attempts, base, baseRateLimited, budget, cap, maxHint } = { ...Retry.standard, ...retry }
  return {
    attempts,
    attempt: millisOf(Deadline.standard.attempt),
    total: millisOf(total),
    pacing: "None",
    limit: 10,
    window: 10_000,
    base: millisOf(base),
    baseRateLimited: millisOf(baseRateLimited),
    cap: millisOf(cap),
    maxHint: millisOf(maxHint),
    ...budget,
    clients: "one",
    jitter: "full"
  }
}

/** The policies of the library, by their names, and what programs have that set nothing. */
export const presets: Readonly<Record<string, Policy>> = {
  "Retry.standard": of({}),
  "Retry.none": of(Retry.none),
  "Retry.patient, 15 minutes": of(Retry.patient, "15 minutes"),
  "no retry, no deadline": { ...of(Retry.none), attempt: hour, total: hour }
}
export const standard = of({})

/** The name of the preset that a policy is. */
export const presetOf = (policy: Policy): string | undefined =>
  Object.entries(presets).find(([, preset]) => JSON.stringify(preset) === JSON.stringify(policy))?.[0]

/** What a policy is, in a few words: a preset, or what differs from `Retry.standard`. */
export const nameOf = (policy: Policy): string => {
  const preset = presetOf(policy)
  if (preset !== undefined) return preset
  const own = Record.collect<keyof Policy, Field, ReadonlyArray<string>>(fields, (name, field) => {
    const value = policy[name]
    const words = "options" in field ? field.options[value] : field.unit === "ms" ? time(Number(value)) : value
    return value === standard[name] ? [] : [`${field.label.toLowerCase()}: ${words}`]
  }).flat()
  return own.length < 4 ? own.join(", ") : "own policy"
}

/** The policy as options of a client. */
export const toOptions = (policy: Policy) => {
  const { attempt, attempts, base, baseRateLimited, cap, maxHint, total } = policy
  const { capacity, limit, pacing, retry, success, timeout, window } = policy
  return {
    retry: { attempts, base, baseRateLimited, cap, maxHint, budget: { capacity, retry, timeout, success } },
    deadline: { attempt, total },
    ...(pacing === "Adaptive" && { pacing: Pacing.adaptive }),
    ...(pacing === "Fixed" && { pacing: Pacing.fixed({ limit, window }) })
  } satisfies Partial<Client.Options>
}
