import * as Credentials from "@cloud-management/client/Credentials"
import * as Operation from "@cloud-management/client/Operation"
import * as RequestHeaders from "@cloud-management/client/RequestHeaders"
import * as Predicate from "effect/Predicate"
import { InvalidOptionError } from "../CallError.ts"
import type { CallOptions, Options } from "../Client.ts"

export const at = (value: unknown, key: string): unknown => (Predicate.hasProperty(value, key) ? value[key] : undefined)

export const list = (names: ReadonlyArray<string>) => names.join(", ").replace(/, ([^,]*)$/, " and $1")

/** Programs without types pass anything. */
const breaks = (name: string, rule: string) => new InvalidOptionError(name, `${name} must be ${rule}`)
export const invalid = (name: string, expected: string) => breaks(name, `a ${expected}`)

/** The name of every option: the types keep it complete. */
type Names<Of> = Readonly<Record<keyof Of, unknown>>
export const ofClient: Names<Omit<Options, "operations">> = {
  baseUrl: true,
  credentials: true,
  timeout: true,
  deadline: true,
  stall: true,
  maxRetries: true,
  maxResponseBytes: true,
  requestIdHeader: true,
  log: true,
  fetch: true
}
const ofCall: Names<CallOptions> = {
  signal: true,
  headers: true,
  idempotencyKey: true,
  timeout: true,
  deadline: true,
  stall: true,
  maxRetries: true
}

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

/** Throws for an option that does not exist: it would have no effect. */
export const check = (options: object, names: object): void => {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name))
  if (unknown === undefined) return
  const all = Object.keys(names)
  // a name can be of any length
  const near = unknown.length < 30 && Array.from(all).sort((a, b) => distance(unknown, a) - distance(unknown, b))[0]
  const advice =
    !near || distance(unknown, near) > near.length / 3 ? `; the options are ${list(all)}` : `: did you mean ${near}?`
  throw new InvalidOptionError(unknown, `${unknown} is not an option${advice}`)
}

export const checkCall = (options: CallOptions): void => check(options, ofCall)

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
    : invalid("signal", "signal of an AbortController")

/** Where a list begins. Throws for a key too: each page would be the same request to the service. */
export const place = (from: unknown, { idempotencyKey }: CallOptions): string | undefined => {
  if (idempotencyKey !== undefined) throw breaks("idempotencyKey", "left out: each page is a call of its own")
  if (from === undefined || Predicate.isString(from)) return from
  throw invalid("from", "string")
}

/** Credentials of another kind than a key. */
const isScheme = (value: unknown): value is Credentials.Credentials =>
  Predicate.isFunction(at(value, "sign")) && Array.isArray(at(value, "secrets"))

/** The option `credentials`, or what that function returns. Throws for anything else. */
export const credentials = (value: unknown): Credentials.Credentials => {
  if (isScheme(value)) return value
  throw invalid(
    "credentials",
    "value of the module Credentials of @cloud-management/client, or a function that returns one"
  )
}

/** Throws for options that no client can be made with. */
export const checkClient = (options: Options & { readonly operations: unknown }): void => {
  check(options, { ...ofClient, operations: true })
  const { baseUrl, credentials: own, fetch, log, operations } = options
  for (const [name, value] of Object.entries({ fetch, log })) {
    if (value !== undefined && !Predicate.isFunction(value)) throw invalid(name, "function")
  }
  if (!Predicate.isObject(operations) || !Object.values(operations).every(Predicate.isObject)) {
    throw invalid("operations", "registry: groups of operations")
  }
  if (!Predicate.isString(baseUrl)) throw invalid("baseUrl", "string")
  if (own !== undefined && !Predicate.isFunction(own)) credentials(own)
}

/** The client's policies of these options. Throws for a limit that no call can keep. */
export const policies = ({ deadline, maxRetries, stall, timeout }: CallOptions) => {
  for (const [name, limit] of Object.entries({ timeout, deadline, stall })) {
    if (limit !== undefined && !(Predicate.isNumber(limit) && limit > 0)) {
      throw invalid(name, "number of milliseconds above 0; Infinity means no limit")
    }
  }
  if (maxRetries !== undefined && !(Number.isInteger(maxRetries) && maxRetries >= 0)) {
    throw invalid("maxRetries", "whole number, 0 or more")
  }
  return {
    deadline: {
      ...(timeout !== undefined && { attempt: timeout }),
      ...(deadline !== undefined && { total: deadline }),
      ...(stall !== undefined && { stall })
    },
    retry: maxRetries === undefined ? {} : { attempts: maxRetries + 1 }
  }
}
