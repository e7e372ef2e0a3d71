import * as Names from "../model/Names.ts"
import * as OperationId from "../model/OperationId.ts"
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
  const groups = new Map<string, ReturnType<typeof Names.allocator>>()
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
    // whoever wants another name writes it into the manifest
    found.set(key, { group: old.group, name: group(old.group).take(Names.member(old.name)) })
  }
  const groupOf = ({ tag }: OperationModel) => {
    const wanted = Names.member(Names.camel(tag) || "api")
    const name = spelled.get(wanted.toLowerCase()) ?? wanted
    spelled.set(wanted.toLowerCase(), name)
    return name
  }
  const added = models.filter(({ key }) => !found.has(key))
  for (const [name, members] of Map.groupBy(added, groupOf)) {
    const names = group(name)
    for (const { key, whole, wishes } of wishesOf(members))
      found.set(key, { group: name, name: names.take(wishes.find((wish) => !names.has(wish)) ?? whole) })
  }
  return found
}

const memberOf = (words: ReadonlyArray<string>) => Names.member(Names.camelOf(words) || "operation")

/** The names that the operations of a group can have, the shortest first. */
const wishesOf = (models: ReadonlyArray<OperationModel>) => {
  const all = models.map((model) => ({ model, ...OperationId.read(model) }))
  const isOneClass = new Set(all.map(({ owner }) => owner.join(" "))).size === 1
  const wishes = all.map(({ bare, model, own, owner, whole }) => {
    const group = OperationId.groupOf(model)
    const name = (words: ReadonlyArray<string>) => memberOf(Names.without(words, group))
    // a verb alone says nothing of another class than that of the group
    const isClear = isOneClass || bare.length > 1 || Names.isWord(owner.at(-1) ?? "", group.at(-1) ?? "")
    return {
      key: model.key,
      whole: memberOf(whole),
      // if no other operation can have them
      short: new Set([...(isClear ? [name(bare)] : []), name([...owner, ...bare])]),
      long: name([...owner, ...own])
    }
  })
  const counts = Map.groupBy(
    wishes.flatMap(({ short }) => [...short]),
    (name) => name.toLowerCase()
  )
  return wishes.map(({ key, long, short, whole }) => ({
    key,
    whole,
    wishes: [...Array.from(short).filter((name) => counts.get(name.toLowerCase())?.length === 1), long]
  }))
}
