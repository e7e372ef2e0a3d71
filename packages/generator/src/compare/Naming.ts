import * as Names from "../model/Names.ts"
import type { OperationModel } from "../model/OperationModel.ts"
import * as Manifest from "./Manifest.ts"

/** Where a client has the method of an operation; its constant and its type have the same name. */
export interface Named {
  readonly group: string
  readonly name: string
}

/** Group and name of each operation. A name that was given before stays; a new one gives way. */
export const make = (models: ReadonlyArray<OperationModel>, locked: Manifest.Locked | undefined) => {
  const found = new Map<string, Named>()
  const groups = new Map<string, Names.Allocator>()
  const group = (name: string) => {
    const known = groups.get(name) ?? Names.allocator()
    groups.set(name, known)
    return known
  }
  const spelled = new Map<string, string>()
  const lastOf = Manifest.last(locked, new Set(models.map(({ key }) => key)))
  for (const { id, key } of models) {
    const old = lastOf(key, id)?.entry
    if (old === undefined) continue
    spelled.set(old.group.toLowerCase(), old.group)
    found.set(key, { group: old.group, name: group(old.group).take(old.name) })
  }
  for (const model of models) {
    if (found.has(model.key)) continue
    const wanted = Names.member(Names.camel(model.tag) || "api")
    const groupName = spelled.get(wanted.toLowerCase()) ?? wanted
    spelled.set(wanted.toLowerCase(), groupName)
    const names = group(groupName)
    const all = Names.words(model.id.includes(" /") ? fromPath(model) : withoutRoute(model))
    const short = memberOf(Names.without(all, Names.words(model.tag)))
    found.set(model.key, { group: groupName, name: names.take(names.has(short) ? memberOf(all) : short) })
  }
  return found
}

const memberOf = (words: ReadonlyArray<string>) => Names.member(Names.camelOf(words) || "operation")

/** The method and the words of the path, for an operation without an ID. */
const fromPath = ({ key, method }: OperationModel) =>
  `${method.toLowerCase()} ${key.replace(/^\S+ /, "").replace(/\{[^{}]*\}/g, " ")}`

/** An ID without the path and the method that FastAPI puts behind the name of each function (`generate_unique_id`). */
const withoutRoute = ({ id, key, method }: OperationModel) => {
  const route = `${key.replace(/^\S+ /, "")}_${method.toLowerCase()}`.replaceAll(/\W/g, "_")
  return id.endsWith(route) && id !== route ? id.slice(0, -route.length) : id
}
