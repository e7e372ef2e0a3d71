/**
 * Schemas that others bind: `$dynamicRef` (JSON Schema 2020-12 §8.2.3.2) and `$recursiveRef` (2019-09 §8.2.4.2). What a name
 * stands for depends on the schemas that lead to the reference, so there is a copy of each schema for each meaning.
 */
import { posix } from "node:path"
import * as Anchors from "./Anchors.ts"
import { keysOf, pointer, text } from "./Json.ts"

/** A reference, and the schema around it to which it can be relative. */
export interface Use {
  readonly node: object
  readonly key: string
  readonly reference: string
  readonly file: Anchors.File
  readonly base: Anchors.Base | undefined
}

/** The targets of names. */
export type Scope = ReadonlyMap<string, Anchors.Target>

/** A schema in which names stand for others than where it is. */
export interface Copy {
  readonly name: string
  readonly target: Anchors.Target
  readonly scope: Scope
}

/** Where copies are in the root. */
export const outside = "x-generics"

/** More names than these have one meaning each. */
const mostNames = 100

const nothing: Scope = new Map()

/** The values that lead to references, and what those refer to. */
const parentsOf = (targets: ReadonlyMap<Use, Anchors.Target>) => {
  const parents = new Map<unknown, Array<unknown>>()
  const add = (child: unknown, parent: unknown) => {
    const all = parents.get(child)
    if (all === undefined) parents.set(child, [parent])
    else all.push(parent)
    return all === undefined
  }
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    for (const child of Object.values(value)) if (typeof child === "object" && add(child, value)) visit(child)
  }
  const files = new Set([...targets].flatMap(([use, target]) => [use.file, target.file]))
  for (const { value } of files) visit(value)
  for (const [{ node }, target] of targets) add(target.node, node)
  return parents
}

/** By name, the values that lead to a reference that it decides. */
const reachOf = (names: ReadonlyMap<Use, string>, targets: ReadonlyMap<Use, Anchors.Target>) => {
  const reach = new Map<string, Set<unknown>>()
  if (names.size === 0) return reach
  const parents = parentsOf(targets)
  for (const [{ node }, name] of names) {
    if (reach.size >= mostNames && !reach.has(name)) continue
    reach.set(name, (reach.get(name) ?? new Set()).add(node))
  }
  for (const found of reach.values())
    for (const node of found) for (const parent of parents.get(node) ?? []) found.add(parent)
  return reach
}

export const make = (targets: ReadonlyMap<Use, Anchors.Target>, within: (target: Anchors.Target) => string) => {
  const names = new Map<Use, string>()
  for (const [use, { node }] of targets) {
    const name = Anchors.dynamicOf(node)
    if (name !== undefined && use.key !== "$ref" && use.reference.endsWith(`#${name}`)) names.set(use, name)
  }
  const reach = reachOf(names, targets)

  const scopes = new Map<Anchors.Base, Scope>()
  /** The targets of names in a schema where it is: the outermost schema decides. */
  const scopeOf = (base: Anchors.Base | undefined, file: Anchors.File): Scope => {
    if (base === undefined || reach.size === 0) return nothing
    const known = scopes.get(base)
    if (known !== undefined) return known
    const scope = new Map(scopeOf(base.outer, file))
    const own = Anchors.dynamicOf(base.value)
    // what another schema is bound to is written outside of it: a page of groups has groups, whose pages have others
    const isArgument = own !== undefined && scope.get(own)?.node === base.value
    if (isArgument) scope.delete(own)
    for (const [name, at] of base.dynamic)
      if (at !== undefined && !scope.has(name) && !(isArgument && name === own))
        scope.set(name, Anchors.target(file, at))
    scopes.set(base, scope)
    return scope
  }

  const copies: Array<Copy> = []
  const references = new Map<string, string>()
  const taken = new Set<string>()
  const titleOf = ({ file, node, pointer: at }: Anchors.Target): string => {
    const keys = keysOf(text(node, "$ref") ?? at)
    const title = keys.findLast((key, i) => key !== "$defs" && keys[i - 1] !== "$defs")
    return title ?? posix.basename(file.uri).replace(/\.\w+$/, "")
  }
  const copy = (target: Anchors.Target, scope: Scope): string => {
    const key = [target, ...scope.values()].map(within).join(" ")
    const known = references.get(key)
    if (known !== undefined) return known
    const title = `${titleOf(target)} of ${[...scope.values()].map(titleOf).join(" ")}`
    let name = title
    for (let i = 2; taken.has(name); i++) name = `${title} ${i}`
    taken.add(name)
    const reference = pointer("#", outside, name)
    references.set(key, reference)
    copies.push({ name, target, scope })
    return reference
  }

  return {
    /** Grows while {@link referenceOf} is called. */
    copies,
    /** The reference that takes the place of one, in a copy or where it is. */
    referenceOf: (use: Use, given: Scope = nothing): string | undefined => {
      const target = targets.get(use)
      if (target === undefined || reach.size === 0) return target && within(target)
      const scope = new Map([...scopeOf(use.base, use.file), ...given])
      const name = names.get(use)
      const argument = name === undefined ? undefined : scope.get(name)
      if (argument !== undefined) return within(argument)
      const own = scopeOf(target.base, target.file)
      const bound = [...reach].flatMap(([name, nodes]) => {
        const to = nodes.has(target.node) ? scope.get(name) : undefined
        return to === undefined ? [] : [[name, to] as const]
      })
      const isSame = bound.every(([name, to]) => own.get(name)?.node === to.node)
      return isSame ? within(target) : copy(target, new Map(bound))
    }
  }
}
