/** In which order declarations can be made. */
export interface Order {
  readonly names: ReadonlyArray<string>
  /** Of each name, those it contains that contain it. */
  readonly late: ReadonlyMap<string, ReadonlySet<string>>
}

const none: ReadonlySet<string> = new Set()

interface Frame {
  readonly name: string
  readonly pending: Iterator<string>
}

/**
 * Orders names so that each comes after those it refers to, apart from those in a circle with it (Tarjan's algorithm, with a
 * stack of its own: documents can refer 100,000 levels deep).
 */
export const order = (all: Iterable<string>, edges: (name: string) => ReadonlySet<string>): Order => {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const open = new Set<string>()
  const stack: Array<string> = []
  const names: Array<string> = []
  const late = new Map<string, ReadonlySet<string>>()
  const lower = (name: string, to: number) => low.set(name, Math.min(low.get(name) ?? to, to))
  const enter = (name: string): Frame => {
    index.set(name, index.size)
    lower(name, index.size - 1)
    stack.push(name)
    open.add(name)
    return { name, pending: edges(name)[Symbol.iterator]() }
  }
  const leave = (name: string) => {
    if (low.get(name) !== index.get(name)) return
    const circle = stack.splice(stack.lastIndexOf(name))
    const isAlone = circle.length === 1 && !edges(name).has(name)
    const members = new Set(circle)
    for (const member of circle.toReversed()) {
      open.delete(member)
      names.push(member)
      late.set(member, isAlone ? none : new Set([...edges(member)].filter((other) => members.has(other))))
    }
  }
  for (const root of all) {
    if (index.has(root)) continue
    const frames = [enter(root)]
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const next = frame.pending.next()
      if (next.done === true) {
        frames.pop()
        leave(frame.name)
        const parent = frames.at(-1)
        if (parent !== undefined) lower(parent.name, low.get(frame.name) ?? 0)
      } else if (!index.has(next.value)) frames.push(enter(next.value))
      else if (open.has(next.value)) lower(frame.name, index.get(next.value) ?? 0)
    }
  }
  return { names, late }
}

/** All that can be reached from names, with them. */
export const reach = (from: Iterable<string>, edges: (name: string) => ReadonlySet<string>): Set<string> => {
  const found = new Set(from)
  for (const name of found) for (const next of edges(name)) found.add(next)
  return found
}
