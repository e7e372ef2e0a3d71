import type { Made, Variation } from "../served/Variation.ts"
import { type Unjudged, unjudged } from "./Case.ts"
import type { Round } from "./Round.ts"

/** In so many operations a place of a schema is tried that many share: their code is the same. */
const mostOperations = 3

/** Alternatives of alternatives multiply: so many of one request or response are tried. */
const mostAlternatives = 200

/** The places that were tried already in all operations, and how often. */
export type Tried = Map<string, number>

/** Says of places whether one of them is yet to be tried, in this request or response and in this way, and takes note of all. */
export const making = (tried: Tried, side: Variation["side"]) => {
  const seen = new Set<string>()
  return (way: string, places: Iterable<string>): boolean => {
    let isNew = false
    for (const place of places) {
      const key = `${side} ${way} ${place}`
      if (seen.has(key)) continue
      seen.add(key)
      const times = tried.get(key) ?? 0
      if (times >= mostOperations && place.startsWith("#/components/")) continue
      tried.set(key, times + 1)
      isNew = true
    }
    return isNew
  }
}

/** A variation of one that has another alternative at a place. */
export interface Branch {
  readonly _tag: "Branch"
  readonly round: Round
  readonly note: string
  readonly variation: Variation
}

/** A variation for each alternative that a place has, at any depth. What is beside the place is as small as can be. */
export function* branches(
  round: Round,
  base: Variation,
  isNew: (way: string, places: Iterable<string>) => boolean,
  make: (variation: Variation) => Made | undefined
): Generator<Branch | Unjudged> {
  let taken = 0
  let left = 0
  const queue = [base]
  // grows while it is read
  for (const outer of queue) {
    const made = make(outer)
    for (const [place, { at, count }] of made?.alternatives ?? []) {
      const last = made?.open.has(place) === true ? 2 * count - 1 : count
      for (let i = 1; i < last; i++) {
        if (!isNew(String(i), [place])) continue
        if (++taken > mostAlternatives) {
          left++
          continue
        }
        // two of those that can fit together
        const own = i < count ? [i] : [0, i - count + 1]
        const variation = { ...base, chosen: new Map([...(outer.chosen ?? []), [place, own]]), focus: at }
        if (i < count) queue.push(variation)
        yield {
          _tag: "Branch",
          round: i < count ? round : "overlap",
          note: `${place.replace(/^#\/(?:components\/schemas\/)?/, "")} ${own.map((one) => one + 1).join(" and ")}`,
          variation
        }
      }
    }
  }
  if (left > 0)
    yield unjudged(round, base.side, `more than ${mostAlternatives} alternatives: ${left} of them are left out`)
}
