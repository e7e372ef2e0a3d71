import type * as Credentials from "@cloud-management/client/Credentials"
import * as Operation from "@cloud-management/client/Operation"
import * as OptionRules from "@cloud-management/client/OptionRules"
import * as RequestHeaders from "@cloud-management/client/RequestHeaders"
import { constTrue } from "effect/Function"
import * as Predicate from "effect/Predicate"
import { InvalidOptionError } from "../CallError.ts"
import type { CallOptions, Options } from "../Client.ts"

export const at = (value: unknown, key: string): unknown => (Predicate.hasProperty(value, key) ? value[key] : undefined)

export const list = (names: ReadonlyArray<string>) => names.join(", ").replace(/, ([^,]*)$/, " and $1")

const breaks = (name: string, rule: string) => new InvalidOptionError(name, `${name} must be ${rule}`)

/** Credentials of another kind than a key. */
const isScheme = (value: unknown): value is Credentials.Credentials =>
  Predicate.isFunction(at(value, "sign")) && Array.isArray(at(value, "secrets"))
const scheme = "a value of the module Credentials of @cloud-management/client, or a function that returns one"

/** The option `credentials`, or what that function returns. Throws for anything else. */
export const credentials = (value: unknown): Credentials.Credentials => {
  if (isScheme(value)) return value
  throw breaks("credentials", scheme)
}

/** The rule of every option: the types keep it complete. */
type Kinds<Of> = Readonly<Record<keyof Of, OptionRules.Kind>>
/** Its rule is elsewhere. */
const given: OptionRules.Kind = ["given", constTrue]
const millis: OptionRules.Kind = [
  "a number of milliseconds above 0; Infinity means no limit",
  (value) => Predicate.isNumber(value) && value > 0
]
const limits: Kinds<Pick<CallOptions, "timeout" | "deadline" | "stall" | "maxRetries">> = {
  timeout: millis,
  deadline: millis,
  stall: millis,
  maxRetries: ["a whole number, 0 or more", (value) => Number.isInteger(value) && Number(value) >= 0]
}
export const ofClient: Kinds<Omit<Options, "operations">> = {
  baseUrl: OptionRules.text,
  credentials: [scheme, (value) => Predicate.isFunction(value) || isScheme(value)],
  ...limits,
  maxResponseBytes: given,
  requestIdHeader: given,
  log: OptionRules.callable,
  fetch: OptionRules.callable
}
export const ofCall: Kinds<CallOptions> = { signal: given, headers: given, idempotencyKey: given, ...limits }

/** How many letters are added, left out or others (Levenshtein), whatever their case. */
const distance = (a: string, b: string): number => {
  const other = Array.from(b.toLowerCase())
  const last = Array.from(a.toLowerCase()).reduce(
    (above, letter, i) =>
      other.reduce(
        (row, its, j) => [
          ...row,
          Math.min((above[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1, (above[j] ?? 0) + (its === letter ? 0 : 1))
        ],
        [i + 1]
      ),
    [0, ...other.map((_, j) => j + 1)]
  )
  return last.at(-1) ?? 0
}

/** Throws for an option that breaks its rule, or does not exist: it would have no effect. Programs without types pass anything. */
export const check = (options: object, kinds: OptionRules.Kinds): void => {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(kinds, name)) {
      const all = Object.keys(kinds)
      // a name can be of any length
      const near = name.length < 30 && Array.from(all).sort((a, b) => distance(name, a) - distance(name, b))[0]
      const advice =
        !near || distance(name, near) > near.length / 3 ? `; the options are ${list(all)}` : `: did you mean ${near}?`
      throw new InvalidOptionError(name, `${name} is not an option${advice}`)
    }
    const rule = value === undefined ? undefined : OptionRules.ruleOf(kinds, name, value)
    if (rule !== undefined) throw breaks(name, rule)
  }
}

/** The headers of a call, with its own idempotency key. Throws for those that cannot be sent. */
export const headers = (
  { headers, idempotencyKey }: CallOptions,
  operation: Operation.Any
): Readonly<Record<string, string>> | undefined => {
  const sent: Record<string, string> = {}
  const entries = Predicate.isIterable(headers) ? headers : Object.entries(headers ?? {})
  for (const [name, value] of entries) {
    const rule = RequestHeaders.rule(name, value, sent)
    if (rule !== undefined) throw breaks(`headers.${name}`, rule)
    sent[name.toLowerCase()] = value
  }
  if (idempotencyKey !== undefined) {
    const { repeat } = operation
    if (typeof repeat !== "object") {
      throw new InvalidOptionError(
        "idempotencyKey",
        `${Operation.nameOf(operation)} lacks repeat: Operation.idempotencyKey()`
      )
    }
    const rule = idempotencyKey === "" ? "non-empty text" : RequestHeaders.rule("key", idempotencyKey, {})
    if (rule !== undefined) throw breaks("idempotencyKey", rule)
    if (Object.hasOwn(sent, repeat.header)) throw breaks("idempotencyKey", `left out beside headers.${repeat.header}`)
    sent[repeat.header] = idempotencyKey
  }
  return Object.keys(sent).length === 0 ? undefined : sent
}

export const invalidSignal = (signal: unknown): InvalidOptionError | undefined =>
  signal === undefined ||
  ["addEventListener", "removeEventListener"].every((method) => Predicate.isFunction(at(signal, method)))
    ? undefined
    : breaks("signal", "a signal of an AbortController")

/** Where a list begins. Throws for a key too: each page would be the same request to the service. */
export const place = (from: unknown, { idempotencyKey }: CallOptions): string | undefined => {
  if (idempotencyKey !== undefined) throw breaks("idempotencyKey", "left out: each page is a call of its own")
  if (from === undefined || Predicate.isString(from)) return from
  throw breaks("from", "a string")
}

/** Throws for options that no client can be made with. */
export const checkClient = (options: Options & { readonly operations: unknown }): void => {
  check(options, { ...ofClient, operations: given })
  const { baseUrl, operations } = options
  if (!Predicate.isObject(operations) || !Object.values(operations).every(Predicate.isObject)) {
    throw breaks("operations", "a registry: groups of operations")
  }
  if (baseUrl === undefined) throw breaks("baseUrl", OptionRules.text[0])
}

/** The client's policies of these options. */
export const policies = ({ deadline, maxRetries, stall, timeout }: CallOptions) => ({
  deadline: {
    ...(timeout !== undefined && { attempt: timeout }),
    ...(deadline !== undefined && { total: deadline }),
    ...(stall !== undefined && { stall })
  },
  retry: maxRetries === undefined ? {} : { attempts: maxRetries + 1 }
})
