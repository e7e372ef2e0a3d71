import type { Key } from "./content.ts"
import type { Exchange } from "./journal.ts"

/** Whether a key opens the service at the time of an exchange; `undefined` when it expires while that lasts. */
const isActive = ({ enabled, expiresAt }: Key, [from, to]: Exchange["walls"]): boolean | undefined =>
  !enabled ? false : to < expiresAt ? true : from >= expiresAt ? false : undefined

/** The answer that the specification asks for. */
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
export const step = (exchange: Exchange, deleted: ReadonlySet<Key>): ReadonlySet<Key> | undefined => {
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
