import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import * as SerialOrder from "../simulation/src/SerialOrder.ts"

export const whats = [
  "authenticated",
  "unauthorized",
  /** The target is gone now, by this very attempt. */
  "deleted",
  /** The target is gone, by an earlier attempt of the same call or by somebody else. */
  "assumed",
  "not found",
  /** The outcome is unknown: it may have been done, may be done at any later time, or never. */
  "perhaps deleted"
] as const

/** A response says this of the keys at some moment between the request and itself. */
export interface Event extends SerialOrder.Interval {
  readonly what: (typeof whats)[number]
  readonly caller: ApiKeyId
  readonly target?: ApiKeyId
  readonly by: string
}

/** The keys after an event, as the service is specified; `undefined` when the event contradicts them. */
export const step = (
  { caller, target, what }: Event,
  keys: ReadonlySet<ApiKeyId>
): ReadonlySet<ApiKeyId> | undefined => {
  const isActive = keys.has(caller)
  const isThere = target !== undefined && keys.has(target)
  const without = () => keys.difference(new Set([target]))
  switch (what) {
    case "authenticated":
      return isActive ? keys : undefined
    case "unauthorized":
      return isActive ? undefined : keys
    case "deleted":
      return isActive && isThere ? without() : undefined
    case "assumed":
      return isActive ? (isThere ? without() : keys) : undefined
    case "not found":
      return isActive && !isThere ? keys : undefined
    case "perhaps deleted":
      return isActive && isThere ? without() : keys
  }
}

const show = (begun: number, { by, caller, target, what, ...event }: Event) =>
  `${(event.begun - begun).toFixed(0)}–${(event.ended - begun).toFixed(0)} ms, ${by}: ${caller.slice(-4)} ${what} ${target?.slice(-4) ?? ""}`

export interface History {
  readonly keys: ReadonlyArray<ApiKeyId>
  readonly events: ReadonlyArray<Event>
}

export const stored = (
  keys: ReadonlyArray<ApiKeyId>,
  ids: ReadonlySet<string>,
  interval: SerialOrder.Interval
): ReadonlyArray<Event> =>
  keys.map((caller) => ({
    ...interval,
    by: "database",
    caller,
    what: ids.has(caller) ? "authenticated" : "unauthorized"
  }))

export const acknowledged = ({ events }: History): ReadonlySet<ApiKeyId | undefined> =>
  new Set(events.flatMap(({ target, what }) => (what === "deleted" || what === "assumed" ? [target] : [])))

/** Why no order of the events explains all responses, or nothing when one does: the service is linearizable. */
export const wrong = ({ events, keys }: History): string | undefined => {
  const { unexplained } = SerialOrder.find(events, new Set(keys), step)
  if (unexplained.length === 0) return undefined
  const begun = Math.min(...events.map((event) => event.begun))
  const marked = (event: Event) => `  ${unexplained.includes(event) ? "?" : " "} ${show(begun, event)}`
  return ["no order explains", ...events.toSorted((a, b) => a.begun - b.begun).map(marked)].join("\n")
}
