import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type { Outcome, Ask, Client } from "./Client.ts"
import type { Event } from "./History.ts"
import type { Interval } from "../simulation/src/SerialOrder.ts"

export const recovery = (from: number, served: ReadonlyArray<Interval>) =>
  Math.min(...served.filter(({ begun }) => begun >= from).map(({ ended }) => ended)) - from

export const silence = ({ begun: from, ended: to }: Interval, served: ReadonlyArray<Interval>) => {
  const ends = served.map(({ ended }) => ended).toSorted((a, b) => a - b)
  const before = ends.findLast((end) => end <= from) ?? from
  const spans = [before, ...ends.filter((end) => end > from)]
  return Math.max(...spans.slice(1).map((end, n) => ((spans[n] ?? end) <= to ? end - (spans[n] ?? end) : 0)))
}

export const make = () => {
  const wrong: Array<string> = []
  const counts = { calls: 0, assumed: 0, unknown: 0 }
  const errors = new Map<string, number>()
  const served: Array<Interval> = []
  const deletions: Array<Interval> = []

  const note = (
    { at: { by, isFront }, key: caller }: Client,
    { expected, name }: Ask,
    outcome: Outcome,
    target?: ApiKeyId
  ): ReadonlyArray<Event> => {
    const { begun, ended, isAssumed, isAway, isUnknown, text } = outcome
    counts.calls++
    if (isAway && isFront) errors.set(text, (errors.get(text) ?? 0) + 1)
    if (!isAway && isFront) served.push({ begun, ended })
    if (text === "deleted" && isFront) deletions.push({ begun, ended })
    const seen = { caller, begun, ended, by }
    const events: Array<Event> = []
    if (target !== undefined && isUnknown) {
      counts.unknown++
      events.push({ ...seen, what: "perhaps deleted", target, ended: Infinity })
    }
    if (isAway) return events
    if (text === "Unauthorized") return [...events, { ...seen, what: "unauthorized" }]

    // what the last attempt was told
    const told = isAssumed ? "ApiKeyNotFound" : text
    if (!expected.includes(told)) {
      wrong.push(`${name} as ${caller} through ${by}: ${told} for ${expected.join(" or ")}`)
      return events
    }
    if (text === "ApiKeyNotFound" && isUnknown) {
      wrong.push(`${name} as ${caller} through ${by}: ${text} after an attempt that may have deleted it`)
    }
    if (target === undefined) return [...events, { ...seen, what: "authenticated" }]
    if (isAssumed) counts.assumed++
    return [...events, { ...seen, what: isAssumed ? "assumed" : text === "deleted" ? text : "not found", target }]
  }
  return { wrong, counts, errors, served, deletions, note }
}

export type Journal = ReturnType<typeof make>
