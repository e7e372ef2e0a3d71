/** What is known about vulnerabilities of the packages that are installed here, by `pnpm audit`. */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { purl } from "./sbom.ts"

/** A vulnerability, as one line that names the package and the way out. */
export type Line = string

/** What the source says, or why it says nothing. */
export type Outcome =
  | { readonly _tag: "Known"; readonly shipped: ReadonlyArray<Line>; readonly tools: ReadonlyArray<Line> }
  | { readonly _tag: "Unreachable"; readonly why: string }

interface Report {
  readonly advisories: Readonly<
    Record<
      string,
      {
        readonly module_name: string
        readonly title: string
        readonly severity: string
        readonly patched_versions?: string
        readonly url: string
        readonly findings: ReadonlyArray<{ readonly version: string }>
      }
    >
  >
}

const { packageManager }: { readonly packageManager: string } = JSON.parse(readFileSync("package.json", "utf8"))

interface Output {
  readonly stdout: string
  readonly stderr: string
}

const audit = (env: NodeJS.ProcessEnv) =>
  new Promise<Output>((done, fail) => {
    const args = ["--yes", `--package=${packageManager}`, "-c", "pnpm audit --json"]
    const child = spawn("npx", args, { env, stdio: ["ignore", "pipe", "pipe"] })
    let [stdout, stderr] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.on("error", fail)
    // it fails too when it has found something
    child.on("close", () => done({ stdout, stderr }))
  })

const parse = (json: string): Report | undefined => {
  try {
    const report: Report = JSON.parse(json)
    return typeof report.advisories === "object" ? report : undefined
  } catch {
    return undefined
  }
}

/** What the output of `pnpm audit --json` says; `shipped` are the package URLs in the SBOMs of our packages. */
export const read = ({ stderr, stdout }: Output, shipped: ReadonlySet<string>): Outcome => {
  const report = parse(stdout)
  if (report === undefined) {
    // pnpm draws a frame around what it says, and breaks its lines
    const said = `${stdout}\n${stderr}`.replace(/^.*?×|[│├▶╰─]/gsu, " ").replace(/\s+/g, " ")
    return { _tag: "Unreachable", why: said.trim().slice(0, 300) }
  }
  const found = Object.values(report.advisories).flatMap((advisory) =>
    advisory.findings.map(({ version }) => {
      const { module_name: name, patched_versions: patched, severity, title, url } = advisory
      const wayOut = patched === undefined || patched === "<0.0.0" ? "no version mends it" : `mended by ${patched}`
      return {
        line: `${name} ${version}: ${title} (${severity}), ${wayOut}: ${url}`,
        isShipped: shipped.has(purl({ name, version }))
      }
    })
  )
  const lines = (isShipped: boolean) => found.filter((one) => one.isShipped === isShipped).map(({ line }) => line)
  return { _tag: "Known", shipped: lines(true), tools: lines(false) }
}

/** Asks the registry about every package of the lockfile. */
export const check = async (shipped: ReadonlySet<string>, env: NodeJS.ProcessEnv = process.env): Promise<Outcome> =>
  read(await audit(env), shipped)

/** What a release says, and what stops it. A dry run may do without an answer, a release may not. */
export const judge = (
  outcome: Outcome,
  isDry: boolean
): { readonly said: ReadonlyArray<string>; readonly stops: ReadonlyArray<string> } => {
  if (outcome._tag === "Unreachable") {
    const said = `vulnerabilities: not checked, the source could not be reached (${outcome.why})`
    const stop = "nothing is published without the check for vulnerabilities: start the release again"
    return { said: [said], stops: isDry ? [] : [stop] }
  }
  const { shipped, tools } = outcome
  const said = `vulnerabilities: ${shipped.length} known in the dependencies of the packages, ${tools.length} in tools`
  return { said: [said, ...tools.map((line) => `  in a tool: ${line}`)], stops: shipped }
}
