/** Type-checks the code in doc comments (`@example`) and in the Markdown of the repository (```ts blocks). */
import { execFileSync } from "node:child_process"
import { globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { snippets } from "./markdown.ts"

const folder = "node_modules/.cache/snippets"
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
// the examples' folder sees every package, as a user's project would
symlinkSync("../../../examples/node_modules", `${folder}/node_modules`)

const fromComments = (text: string) =>
  [...text.matchAll(/^( *)\/\*\*$[^]*?^ *\*\/$/gm)].flatMap(([comment]) =>
    [...comment.matchAll(/@example\n([^]*?)(?=^ *\* @|^ *\*\/$)/gm)].map(([, code = ""]) =>
      code.replace(/^ *\* ?/gm, "")
    )
  )

let count = 0
for (const file of globSync(["packages/*/src/**/*.ts", "*.md", "docs/**/*.md", "packages/*/README.md"])) {
  const text = readFileSync(file, "utf8")
  for (const [index, code] of (file.endsWith(".md") ? snippets(text) : fromComments(text)).entries()) {
    count++
    writeFileSync(
      `${folder}/${file.replaceAll("/", "_").replace(/\.\w+$/, "")}_${index + 1}.ts`,
      `${code}\nexport {}\n`
    )
  }
}
writeFileSync(
  `${folder}/tsconfig.json`,
  JSON.stringify({
    extends: "../../../tsconfig.json",
    compilerOptions: {
      noEmit: true,
      composite: false,
      types: ["node"],
      typeRoots: ["../../@types"],
      noUnusedLocals: false,
      allowImportingTsExtensions: true
    },
    include: ["*.ts"]
  })
)
execFileSync("tsc", ["-p", folder], { stdio: "inherit" })
console.log(`${count} snippets`)
