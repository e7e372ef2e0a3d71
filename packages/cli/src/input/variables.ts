import * as Foreign from "../output/foreign.ts"
import * as Setting from "./setting.ts"
import { didYouMean, suggest } from "../help/suggest.ts"

/** Kubernetes sets these for a service of the same name. */
const ofKubernetes = /^(?:SERVICE_(?:HOST|PORT)|PORT_\d+_)/

/** Warnings about variables that look like a setting but are not one, by their names. Values are never quoted. */
export const unknown = (environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> => {
  // that of commands which call a service is no setting with a flag
  const known = [...Setting.names, "KEY_SECRET"]
  return Object.entries(environment).flatMap(([variable, value = ""]) => {
    const name = variable.startsWith(Setting.prefix) ? variable.slice(Setting.prefix.length) : ""
    if (name === "" || value === "" || known.includes(name) || ofKubernetes.test(name)) return []
    const hint = didYouMean(suggest(name, known).map((name) => `${Setting.prefix}${name}`))
    return [`${Foreign.clean(variable)} is ignored, because it is not a setting.`, ...hint].join(" ")
  })
}
