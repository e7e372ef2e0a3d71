/**
 * `node checks/main.ts lines [COMMIT …]`: how many authored lines and tokens each part of the repository has, at each
 * commit, or as committed last. A token is a word, a number, a text in quotes or a sign outside comments, so that no
 * formatting changes their number.
 */
import { execFileSync } from "node:child_process"
import * as Program from "./fixtures/Program.ts"

const parts: ReadonlyArray<readonly [name: string, of: RegExp]> = [
  ["src", /^packages\/[^/]+\/src\//],
  ["tests", /^packages\/[^/]+\/test\//],
  ["checks", /^checks\//],
  ["site", /^docs\/site\//],
  ["docs", /^docs\//],
  ["examples", /^examples\//],
  ["rest", /^/]
]
const generated = /(pnpm-lock\.yaml|openapi\.json|mutations\.md|\.snap|\.png|\.svg|\.ico|\.woff2)$/
const comment = /\/\*[^]*?\*\/|(?<!:)\/\/.*/g
const token = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\p{L}\p{N}_$]+|\S/gu

const git = (...args: ReadonlyArray<string>) =>
  execFileSync(Program.find("git") ?? "", args, { encoding: "utf8", maxBuffer: 2 ** 28 })
const row = (name: string, lines: number | string, tokens: number | string) =>
  console.log(name.padEnd(10) + String(lines).padStart(7) + String(tokens).padStart(9))

const commits = process.argv.slice(2)
for (const commit of commits.length === 0 ? ["HEAD"] : commits) {
  const files = git("ls-tree", "-r", "--name-only", commit).trimEnd().split("\n")
  const counted = files
    .filter((file) => !generated.test(file))
    .map((file) => {
      const text = git("show", `${commit}:${file}`)
      const code = file.endsWith(".ts") ? text.replaceAll(comment, "") : text
      const part = parts.find(([, of]) => of.test(file))?.[0]
      return { part, lines: text.split("\n").length - 1, tokens: code.match(token)?.length ?? 0 }
    })
  const sum = (name: string, of: typeof counted) =>
    row(
      name,
      of.reduce((total, { lines }) => total + lines, 0),
      of.reduce((total, { tokens }) => total + tokens, 0)
    )
  row(commit.slice(0, 10), "lines", "tokens")
  for (const [name] of parts) {
    sum(
      name,
      counted.filter(({ part }) => part === name)
    )
  }
  sum("total", counted)
}
