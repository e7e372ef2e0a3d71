/** Generates one document with the command, as a user would, and tries what it wrote. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Document } from "./documents.ts"
import * as StrictProject from "../fixtures/StrictProject.ts"

const root = resolve(import.meta.dirname, "../..")
export const command = join(root, "packages/generator/src/internal/main.ts")
/** In this package, so that the code finds what it imports. */
export const house = join(import.meta.dirname, ".tmp")
const bin = (name: string) => join(root, "node_modules/.bin", name)

export const pathOf = (file: string) => join(import.meta.dirname, "node_modules", file)

const execute = async (program: string, args: ReadonlyArray<string>, cwd = root) => {
  const start = performance.now()
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (chunk) => (stdout += chunk))
  child.stderr.on("data", (chunk) => (stderr += chunk))
  const [code]: Array<number | null | undefined> = await once(child, "close")
  return { code, stdout, stderr, seconds: (performance.now() - start) / 1000 }
}

export const measured = `--import=data:text/javascript,${encodeURIComponent(
  `process.on("exit", () => process.stderr.write("\\n" + process.resourceUsage().maxRSS))`
)}`

export const megabytesOf = (stderr: string) => Number(stderr.split("\n").at(-1)) / 1024

const generate = async (file: string, out: string, ...options: ReadonlyArray<string>) => {
  const args = [measured, command, file, "--out", out, "--format", "json", "--max-omitted", "100000", ...options]
  const ended = await execute(process.execPath, args)
  return { ...ended, megabytes: megabytesOf(ended.stderr) }
}

const contents = (folder: string) =>
  globSync("**/*.{ts,json}", { cwd: folder })
    .toSorted()
    .map((name) => `${name}\n${readFileSync(join(folder, name), "utf8")}`)

interface Report {
  readonly operations: number
  readonly omitted: ReadonlyArray<{ readonly code: string }>
}

const none: Report = { operations: 0, omitted: [] }

/** Generates a document twice, and checks that the bytes are the same, and that `--check` finds no difference. */
export const generated = async (document: Document) => {
  const { file, name } = document
  const path = pathOf(file)
  const folder = join(house, name.replaceAll(" ", "-"))
  const again = `${folder}-again`
  for (const old of [folder, again]) rmSync(old, { recursive: true, force: true })
  const { code, megabytes, seconds, stderr, stdout } = await generate(path, folder)
  const problems = code === 0 ? [] : [`exits with ${code}: ${stderr.slice(0, 2_000)}`]
  const report: Report = code === 0 ? JSON.parse(stdout) : none
  if (code === 0) {
    await generate(path, again)
    const first = contents(folder)
    const different = contents(again).filter((content, i) => content !== first[i])
    if (different.length > 0)
      problems.push(`differs the second time: ${different.map((text) => text.slice(0, 40)).join()}`)
    const check = await generate(path, folder, "--check")
    if (check.code !== 0) problems.push(`--check exits with ${check.code}: ${check.stderr.slice(0, 2_000)}`)
  }
  rmSync(again, { recursive: true, force: true })
  const codes = Object.entries(Object.groupBy(report.omitted, ({ code }) => code))
  return {
    ...document,
    folder,
    operations: report.operations,
    omitted: Object.fromEntries(codes.map(([code, all]) => [code, all?.length ?? 0] as const)),
    seconds,
    megabytes,
    problems
  }
}

export type Outcome = Awaited<ReturnType<typeof generated>>

/** Loads the registry, makes an `HttpApi` of it and a registry of that, and prints how many operations are the same. */
const loading = `import * as Contract from "@cloud-management/client/Contract"
import { fromHttpApi } from "@cloud-management/client/HttpApi"
const { operations } = await import("./index.ts")
const again = fromHttpApi(Contract.make(operations)).operations
const same = Object.entries(operations).flatMap(([group, named]) =>
  Object.entries(named).filter(([name, operation]) => again[group]?.[name] === operation))
process.stdout.write(String(same.length))`

/** The results of promises, a level deep: converting them must end where a type contains itself. */
const promised = (folder: string) => {
  const manifest: { readonly operations: Readonly<Record<string, { readonly group: string; readonly name: string }>> } =
    JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"))
  const results = Object.values(manifest.operations).map(({ group, name }, i) => {
    const result = `Output<Result<(typeof operations)["${group}"]["${name}"]>>`
    return `export const a${i}: Fields<${result}> extends never ? 0 : 0 = 0`
  })
  return `import type { Result } from "@cloud-management/client/Operation"
import type { Output } from "@cloud-management/promise"
import type { operations } from "./index.ts"
type Fields<T> = T extends ReadonlyArray<infer I> ? keyof I : T extends object ? { [K in keyof T]: keyof T[K] }[keyof T] : T
${results.join("\n")}
`
}

/** Whether what was generated compiles and loads, also by way of an `HttpApi`. */
export const tried = async ({ folder, operations }: Outcome): Promise<ReadonlyArray<string>> => {
  writeFileSync(join(folder, "promised.ts"), promised(folder))
  StrictProject.write(folder)
  const compiled = await execute(bin("tsc"), ["-p", folder])
  const problems = compiled.code === 0 ? [] : [`does not compile: ${compiled.stdout.slice(0, 2_000)}`]
  rmSync(join(folder, "promised.ts"))
  const { stderr, stdout } = await execute(process.execPath, ["--input-type=module", "--eval", loading], folder)
  const isLoaded = stdout === String(operations)
  return [...problems, ...(isLoaded ? [] : [`does not load, or not as an HttpApi: ${stdout}${stderr.slice(0, 2_000)}`])]
}

/** Whether every operation works in every round of `verify`. */
export const verified = async ({ file, folder }: Outcome): Promise<ReadonlyArray<string>> => {
  const args = [command, "verify", pathOf(file), folder, "--format", "json"]
  const { code, stderr, stdout } = await execute(process.execPath, args)
  if (code !== 0 && code !== 1) return [`verify exits with ${code}: ${stderr.slice(0, 2_000)}`]
  const { failures }: { readonly failures: ReadonlyArray<unknown> } = JSON.parse(stdout)
  return failures.map((failure) => `verify: ${JSON.stringify(failure)}`)
}
