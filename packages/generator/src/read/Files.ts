/** Files of a document that are on the disk. */
import { readFileSync, realpathSync, statSync } from "node:fs"
import { dirname, isAbsolute, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Opened } from "./Location.ts"

const mostBytes = 100_000_000

const isInside = (folder: string, file: string) => {
  const path = relative(folder, file)
  return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

/**
 * Opens files in the folder of a document, or in the present one, if that holds the document. Outside the document's folder,
 * names that begin with a dot hide what is not for others.
 */
export const make = (root: string) => {
  const folder = realpathSync(dirname(root))
  const present = realpathSync(".")
  const house = dirname(present) !== present && isInside(present, folder) ? present : folder
  return (uri: string): Effect.Effect<Opened, string> =>
    Effect.try({
      try: () => {
        const file = realpathSync(fileURLToPath(uri))
        if (!isInside(house, file))
          throw new Error("it is outside the document's folder: run the command in a folder that has both")
        const isHidden = relative(folder, file)
          .split(sep)
          .some((name) => /^\.[^.]/.test(name))
        if (!isInside(folder, file) && isHidden) throw new Error("it is hidden, and outside the document's folder")
        if (statSync(file).size > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`)
        return { uri, content: readFileSync(file, "utf8") }
      },
      // of errors of the system the code alone: a path differs between machines, and a manifest keeps the message
      catch: (error) =>
        Predicate.hasProperty(error, "code")
          ? String(error.code)
          : error instanceof Error
            ? error.message
            : String(error)
    })
}
