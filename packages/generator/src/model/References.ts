/** References between names, direct or by others. */
import * as Graph from "effect/Graph"

/** The names that a name refers to. */
export type Edges = (name: string) => ReadonlySet<string>

/** In which order declarations can be made. */
export interface Order {
  readonly names: ReadonlyArray<string>
  /** Of each name, those it contains that contain it. */
  readonly late: ReadonlyMap<string, ReadonlySet<string>>
}

/** All that can be reached from names, with them. */
export const reach = (from: Iterable<string>, edges: Edges): Set<string> => {
  const found = new Set(from)
  for (const name of found) for (const next of edges(name)) found.add(next)
  return found
}

/** Names, and those they refer to, by circles that refer to each other; each circle comes after those that it refers to. */
export const circles = (all: Iterable<string>, edges: Edges): ReadonlyArray<ReadonlyArray<string>> => {
  const index = new Map(Array.from(reach(all, edges), (name, i) => [name, i]))
  const graph = Graph.directed<string, void>((graph) => {
    for (const name of index.keys()) Graph.addNode(graph, name)
    for (const [name, from] of index)
      for (const to of edges(name)) Graph.addEdge(graph, from, index.get(to) ?? 0, undefined)
  })
  const names = [...index.keys()]
  // in a circle, what is found last comes first
  const found = Array.from(Graph.indices(Graph.dfs(graph, { start: [...index.values()] })))
  const places = new Map(found.map((node, place) => [node, place]))
  return Graph.stronglyConnectedComponents(graph)
    .toReversed()
    .map((circle) =>
      circle
        .toSorted((one, other) => (places.get(other) ?? 0) - (places.get(one) ?? 0))
        .flatMap((node) => names[node] ?? [])
    )
}

/** Orders names, and those they refer to, so that each comes after those it refers to, apart from those in a circle with it. */
export const order = (all: Iterable<string>, edges: Edges): Order => {
  const late = new Map<string, ReadonlySet<string>>()
  for (const circle of circles(all, edges)) {
    const members = new Set(circle)
    for (const name of circle) late.set(name, new Set([...edges(name)].filter((other) => members.has(other))))
  }
  return { names: [...late.keys()], late }
}

/** The names that refer to a name. */
export const reversed = (names: Iterable<string>, edges: Edges) => {
  const back = new Map<string, Set<string>>()
  for (const name of names) {
    for (const next of edges(name)) {
      const known = back.get(next) ?? new Set<string>()
      known.add(name)
      back.set(next, known)
    }
  }
  return (name: string): ReadonlySet<string> => back.get(name) ?? new Set()
}
