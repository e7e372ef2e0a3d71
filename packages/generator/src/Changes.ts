import type { Entry, Manifest } from "./Manifest.ts"

/** How one operation differs from the last time. */
export interface Change {
  readonly id: string
  readonly kind: "removed" | "changed" | "added"
  readonly isBreaking: boolean
  /** A sentence for each difference. */
  readonly details: ReadonlyArray<string>
}

const isOptional = (digest: string) => digest.endsWith("?")
const bare = (digest: string) => digest.replace("?", "")

const inputs = (old: Entry, current: Entry): ReadonlyArray<readonly [isBreaking: boolean, detail: string]> => {
  const names = new Set([...Object.keys(old.inputs), ...Object.keys(current.inputs)])
  return [...names].flatMap((name): ReadonlyArray<readonly [boolean, string]> => {
    const [before, after] = [old.inputs[name], current.inputs[name]]
    if (before === after) return []
    if (before === undefined) {
      const isFree = after !== undefined && isOptional(after)
      return [[!isFree, `${name} is new${isFree ? "" : " and required"}`]]
    }
    if (after === undefined) return [[true, `${name} is gone`]]
    if (bare(before) !== bare(after)) return [[true, `${name} has another type`]]
    return isOptional(after) ? [[false, `${name} is optional now`]] : [[true, `${name} is required now`]]
  })
}

const refusals = (old: Entry, current: Entry): ReadonlyArray<readonly [isBreaking: boolean, detail: string]> => {
  const statuses = new Set([...Object.keys(old.refusals), ...Object.keys(current.refusals)])
  return [...statuses].flatMap((status): ReadonlyArray<readonly [boolean, string]> => {
    const [before, after] = [old.refusals[status], current.refusals[status]]
    if (before === after) return []
    if (before === undefined) return [[false, `it can be refused with ${status}`]]
    return after === undefined
      ? [[true, `it is no longer refused with ${status}`]]
      : [[true, `the refusal ${status} has another body`]]
  })
}

/** What changed between two manifests, what breaks callers first. */
export const between = (old: Manifest | undefined, current: Manifest): ReadonlyArray<Change> => {
  const before = old?.operations ?? {}
  const removed = Object.entries(before).flatMap(([key, { id }]): ReadonlyArray<Change> =>
    Object.hasOwn(current.operations, key) ? [] : [{ id, kind: "removed", isBreaking: true, details: [] }]
  )
  const others = Object.entries(current.operations).flatMap(([key, entry]): ReadonlyArray<Change> => {
    const last = Object.hasOwn(before, key) ? before[key] : undefined
    if (last === undefined) return [{ id: entry.id, kind: "added", isBreaking: false, details: [] }]
    const found = [
      ...(last.id === entry.id
        ? []
        : [[false, `its ID was ${last.id}; its name stays ${entry.group}.${entry.name}`] as const]),
      ...inputs(last, entry),
      ...(last.result === entry.result ? [] : [[true, "the result has another type"] as const]),
      ...refusals(last, entry)
    ]
    if (found.length === 0) return []
    const isBreaking = found.some(([isBreaking]) => isBreaking)
    return [{ id: entry.id, kind: "changed", isBreaking, details: found.map(([, detail]) => detail) }]
  })
  return [...removed, ...others].toSorted((one, other) => Number(other.isBreaking) - Number(one.isBreaking))
}
