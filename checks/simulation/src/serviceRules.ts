import { Exit } from "effect"
import * as SerialOrder from "./SerialOrder.ts"
import type { Key } from "./content.ts"
import { each, failure, succeeded, type Rule } from "./evidence.ts"
import type { Exchange } from "./journal.ts"

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

/**
 * The keys that are deleted after an exchange, when these were before it and it took effect at one moment; `undefined`
 * when its answer is wrong then.
 */
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

  "the calling key is never deleted by itself": function* (_, { calls, exchanges }) {
    for (const call of calls) {
      if (call.ask.kind === "delete" && call.ask.key === call.client.key && succeeded(call)) {
        yield `call ${call.number} deleted its own key`
      }
    }
    for (const { applied, ask, caller, label, status } of exchanges) {
      if (ask.kind === "delete" && ask.key === caller && (applied || status === 200))
        yield `${label} deleted its own key`
    }
  },

  "what a call creates is created once": each(function* (call) {
    if (call.ask.kind !== "create") return
    const times = call.attempts.filter(({ exchange }) => exchange?.applied === true).length
    if (times > 1) yield `it was created ${times} times`
    if (times === 0 && succeeded(call)) yield "it succeeded, and nothing was created"
  }),

  "an acknowledged deletion stays": function* (_, { calls, exchanges }) {
    for (const call of calls) {
      const { ask, client, ended } = call
      if (ask.kind !== "delete" || !succeeded(call) || ask.key?.organization !== client.key.organization) continue
      for (const exchange of exchanges) {
        if (exchange.caller !== ask.key || exchange.begun < ended) continue
        // without an answer, or when the store was away, nobody was let in
        if (exchange.status === undefined || exchange.status === 503 || exchange.status === 401) continue
        yield `call ${call.number} deleted key ${ask.key.name}, and then ${exchange.label} let it in with ${exchange.status}`
      }
    }
  },

  "nothing is deleted that was not asked for": function* (plan, { exchanges, probes }) {
    for (const key of plan.keys) {
      const probe = probes.get(key)
      const asked = exchanges.filter(
        ({ applied, ask, caller, status }) =>
          ask.kind === "delete" &&
          ask.key === key &&
          ask.organization === key.organization &&
          caller !== key &&
          caller.organization === key.organization &&
          (applied || status === 200)
      )
      const expired = probe === undefined || probe.walls[1] >= key.expiresAt
      if (probe?.status === 401 && key.enabled && !expired && asked.length === 0) {
        yield `key ${key.name} is gone, and nobody deleted it`
      }
      if (asked.length > 1) yield `key ${key.name} was deleted ${asked.length} times`
    }
  },

  "the answers fit a serial order, and a key is left": function* (plan, { exchanges }) {
    for (const organization of plan.organizations) {
      const own = exchanges.filter(({ caller }) => caller.organization === organization)
      const { state: deleted, unexplained } = SerialOrder.find(own, new Set<Key>(), step)
      if (unexplained.length > 0) {
        yield `no order explains ${unexplained
          .slice(0, 5)
          .map(({ label }) => label)
          .join(", ")} in organization ${organization.name}`
      }
      const keys = plan.keys.filter((key) => key.organization === organization)
      if (keys.every((key) => deleted.has(key))) yield `organization ${organization.name} has no key left`
    }
  },

  "the service never fails by itself": function* (_, { exchanges }) {
    for (const { label, status } of exchanges) if (status === 500) yield `${label} was answered 500`
  }
}
