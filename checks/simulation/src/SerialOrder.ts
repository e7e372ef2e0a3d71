import { Equal } from "effect"

export interface Interval {
  readonly begun: number
  /** `Infinity` when the end was not seen. */
  readonly ended: number
}

/**
 * Looks for an order in which overlapping events explain one another: linearizability (Herlihy and Wing, 1990). A step gives
 * the very state that it was given when an event changes nothing, and none when it contradicts the state. Without an order,
 * the state is that after the events before the first contradiction.
 */
export const find = <Event extends Interval, State>(
  events: ReadonlyArray<Event>,
  initial: State,
  step: (event: Event, state: State) => State | undefined
): { readonly unexplained: ReadonlyArray<Event>; readonly state: State } => {
  const places = new Map(events.map((event, index) => [event, index]))
  /** States from which no order of the events that are left was found. */
  const tried = new Map<string, ReadonlyArray<State>>()
  let closest = { unexplained: events, state: initial }

  const search = (remaining: ReadonlyArray<Event>, state: State): boolean => {
    let left = remaining
    for (;;) {
      const firstEnd = left.reduce((end, event) => Math.min(end, event.ended), Infinity)
      const next = left.filter(({ begun }) => begun <= firstEnd).map((event) => ({ event, after: step(event, state) }))
      // what changes nothing may as well have happened now
      const settled = new Set(next.flatMap(({ after, event }) => (after === state ? [event] : [])))
      if (settled.size > 0) {
        left = left.filter((event) => !settled.has(event))
        continue
      }
      if (left.length < closest.unexplained.length) closest = { unexplained: left, state }
      if (left.length === 0) return true
      const place = left.map((event) => places.get(event)).join()
      const states = tried.get(place) ?? []
      if (states.some((other) => Equal.equals(other, state))) return false
      tried.set(place, [...states, state])
      return next.some(
        ({ after, event }) =>
          after !== undefined &&
          search(
            left.filter((other) => other !== event),
            after
          )
      )
    }
  }

  search(events, initial)
  return closest
}
