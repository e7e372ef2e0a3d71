/** How the three commands are called, and how they end. */
import { parseArgs, type ParseArgsOptionsConfig } from "node:util"
import { unusable } from "./read/Unusable.ts"

/** Where a command writes. */
export interface Streams {
  readonly out: (text: string) => unknown
  readonly error: (text: string) => unknown
  readonly isTerminal: boolean | undefined
}

/** The exit codes. */
export const exitCodes = { ok: 0, differs: 1, usage: 2, omitted: 3, patch: 4 } as const

const common = {
  patch: { type: "string", multiple: true },
  fetch: { type: "boolean" },
  "allow-private": { type: "boolean" },
  help: { type: "boolean", short: "h" }
} as const

/** The options of a command that goes through the operations of a document, and reports on them. */
export const perOperation = {
  include: { type: "string", multiple: true },
  exclude: { type: "string", multiple: true },
  format: { type: "string" }
} as const

/** The arguments of a command with options of its own. */
export const parse = <const Own extends ParseArgsOptionsConfig>(args: ReadonlyArray<string>, own: Own) => {
  try {
    return parseArgs({ args: [...args], options: { ...common, ...own }, allowPositionals: true })
  } catch (error) {
    // without how to name a file that begins with a dash
    const [message = ""] = (error instanceof Error ? error.message : String(error)).split(". ", 1)
    throw unusable(`${message}; --help shows how`)
  }
}

/** Whether results are printed as JSON. */
export const isJson = (format = "text"): boolean => {
  if (format !== "text" && format !== "json") throw unusable("--format is text or json")
  return format === "json"
}

/** The document that the arguments name. */
export const sourceOf = (
  name: string,
  values: { readonly [key: string]: unknown; readonly patch?: ReadonlyArray<string> }
) => ({
  name,
  isFetching: values["fetch"] === true,
  allowsPrivate: values["allow-private"] === true,
  patches: values.patch ?? []
})
