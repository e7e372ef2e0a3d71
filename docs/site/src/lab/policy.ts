import type * as Client from "@cloud-management/client/Client"
import * as Deadline from "@cloud-management/client/Deadline"
import * as Pacing from "@cloud-management/client/Pacing"
import * as Retry from "@cloud-management/client/Retry"
import * as Duration from "effect/Duration"
import * as Equal from "effect/Equal"
import * as Record from "effect/Record"
import { hour, time, type Field, type Value } from "./field.ts"

const count = { unit: "", min: 1, max: 100, whole: true }
const millis = { unit: "ms", min: 0, max: hour, whole: false }
const tokens = { unit: "tokens", min: 0, max: 1_000_000, whole: false }

/** All but the last two are options of the client. */
export const fields = {
  attempts: { ...count, label: "Maximum attempts" },
  attempt: { ...millis, label: "Deadline per attempt" },
  total: { ...millis, label: "Deadline per call" },
  pacing: { label: "Pacing", options: { None: "none", Adaptive: "the service's rate limit", Fixed: "your own limit" } },
  limit: { ...count, label: "Own limit", unit: "requests", max: 1_000_000 },
  window: { ...millis, label: "Own limit in" },
  base: { ...millis, label: "Longest first backoff" },
  baseRateLimited: { ...millis, label: "Longest first backoff after a 429" },
  cap: { ...millis, label: "Longest backoff" },
  maxHint: { ...millis, label: "Longest wait at the service's request" },
  capacity: { ...tokens, label: "Retry budget" },
  retry: { ...tokens, label: "Cost of a retry" },
  timeout: { ...tokens, label: "Cost after a timeout" },
  success: { ...tokens, label: "Earned by a success" },
  clients: { label: "Clients", options: { one: "one for all calls", each: "one for each call" } },
  jitter: { label: "Backoff", options: { full: "random (full jitter)", none: "always the longest" } }
} satisfies Readonly<Record<string, Field>>
export type Policy = { readonly [Name in keyof typeof fields]: Value<(typeof fields)[Name]> }

const of = (retry: Partial<Retry.Retry>, total = Deadline.standard.total): Policy => {
  const { attempts, budget, ...waits } = { ...Retry.standard, ...retry }
  const durations = { attempt: Deadline.standard.attempt, total, ...waits }
  const millis = Record.map(durations, (duration) => Duration.toMillis(Duration.fromInputUnsafe(duration)))
  const pacing = { pacing: "None", limit: 10, window: 10_000 } as const
  return { ...millis, ...budget, attempts, ...pacing, clients: "one", jitter: "full" }
}

export const standard = of({})
/** The policies of the library, by their names, and what programs have that set nothing. */
export const presets: Readonly<Record<string, Policy>> = {
  "Retry.standard": standard,
  "Retry.none": of(Retry.none),
  "Retry.patient, 15 minutes": of(Retry.patient, "15 minutes"),
  "no retry, no deadline": { ...of(Retry.none), attempt: hour, total: hour }
}

export const presetOf = (policy: Policy): string | undefined =>
  Object.keys(presets).find((name) => Equal.equals(presets[name], policy))

/** A preset, or what differs from `Retry.standard`, in a few words. */
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

export const priceOf = ({ retry, timeout }: Policy, tag = ""): number => (tag === "Timeout" ? timeout : retry)

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
