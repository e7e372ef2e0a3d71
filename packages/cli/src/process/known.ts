import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Compiled from "./compiled.ts"
import * as Home from "./home.ts"

const file = (variables: NodeJS.ProcessEnv): string | undefined => {
  const folder = Compiled.folder(variables)
  return folder && join(folder, "ids.json")
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const read = (path: string | undefined): Readonly<Record<string, unknown>> => {
  try {
    const json: unknown = JSON.parse(readFileSync(path ?? "", "utf8"))
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}

/** The names of the profiles, or the IDs of a kind, for a shell that completes them: nothing else has to load. */
export const names = (kind: string, variables: NodeJS.ProcessEnv): ReadonlyArray<string> => {
  const found = kind === "profiles" ? read(Home.profiles(variables))[kind] : read(file(variables))[kind]
  const all: ReadonlyArray<unknown> = Array.isArray(found) ? found : isObject(found) ? Object.keys(found) : []
  return all.filter((name): name is string => typeof name === "string" && /^[\w.-]+$/.test(name))
}

/** Keeps IDs that are shown, for {@link names}; without a folder of the user's own, it does not. */
export const remember = (kind: string, ids: ReadonlyArray<string>, variables: NodeJS.ProcessEnv): void => {
  const path = file(variables)
  if (path === undefined || ids.length === 0) return
  const kept = [...new Set([...ids, ...names(kind, variables)])].slice(0, 100)
  try {
    const unfinished = `${path}.${process.pid}`
    writeFileSync(unfinished, JSON.stringify({ ...read(path), [kind]: kept }), { mode: 0o600 })
    renameSync(unfinished, path)
  } catch {
    // a disk may be full; the result is shown all the same
  }
}
