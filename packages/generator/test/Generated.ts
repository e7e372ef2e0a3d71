/** Generates, compiles and loads documents, for tests that call what was generated. */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { Operation } from "@cloud-management/client"
import { Effect } from "effect"
import * as Bundle from "../src/read/Bundle.ts"
import * as Cli from "../src/Cli.ts"
import * as Document from "../src/read/Document.ts"
import { generate, type Generated, type Options } from "../src/Generate.ts"
import * as StrictProject from "../../../checks/fixtures/StrictProject.ts"

const root = resolve(import.meta.dirname, "../../..")

const all: Options = {
  isIncluded: () => true,
  envelope: "auto",
  areDatesText: false,
  locked: undefined,
  name: undefined,
  patches: []
}

export const of = (document: unknown, options: Partial<Options> = {}): Generated => {
  const content = typeof document === "string" ? document : JSON.stringify(document)
  const { root, unread } = Effect.runSync(Bundle.read({ uri: "file:///document.json", content }, "document.json"))
  return ofDocument(Document.make(root, unread), options)
}

export const ofDocument = (document: Document.Document, options: Partial<Options> = {}): Generated =>
  generate(document, { ...all, ...options })

export const run = async (...args: ReadonlyArray<string>) => {
  let out = ""
  let error = ""
  const code = await Cli.run(args, {
    out: (text) => (out += text),
    error: (text) => (error += text),
    isTerminal: false
  })
  return { code, out, error }
}

export const write = (folder: string, { files }: Generated): void => {
  for (const [name, content] of files) {
    mkdirSync(join(folder, name, ".."), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

/** The errors of the compiler for all code in a folder, as a user's strict project would have it. */
export const compile = (folder: string): string => {
  StrictProject.write(folder)
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  return spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" }).stdout
}

export interface Module {
  readonly operations: Readonly<Record<string, Readonly<Record<string, Operation.Any>>>>
  readonly omitted: ReadonlyArray<{ readonly id: string; readonly code: string; readonly pointer: string }>
}

export const load = <Loaded = Module>(folder: string, name = "index.ts"): Promise<Loaded> =>
  import(pathToFileURL(join(folder, name)).href)

/** The operation with an ID, or the only one. */
export const find = ({ operations }: Module, id?: string): Operation.Any => {
  const all = Object.values(operations).flatMap((group) => Object.values(group))
  const [found, ...others] = all.filter((operation) => id === undefined || operation.id === id)
  if (found === undefined || others.length > 0) throw new Error(`no operation ${id}`)
  return found
}
