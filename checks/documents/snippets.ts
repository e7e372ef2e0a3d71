/** Type-checks the code in doc comments and in the Markdown of the repository: their ```ts blocks. */
import { execFileSync } from "node:child_process"
import { globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { docComments, snippets } from "./markdown.ts"

const folder = "node_modules/.cache/snippets"
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
// the examples' folder sees every package, as a user's project would
symlinkSync("../../../examples/node_modules", `${folder}/node_modules`)
// the client that programs of documents call
execFileSync("cloud-management-generate", ["examples/orders.yaml", "--out", `${folder}/api`], { stdio: "ignore" })

let count = 0
for (const file of globSync([
  "packages/*/src/**/*.ts",
  "*.md",
  "docs/{*,library/*,service/*,decisions/*}.md",
  "docs/site/src/content/docs/*.mdx",
  "packages/*/{AGENTS,README}.md"
])) {
  const text = readFileSync(file, "utf8")
  const texts = file.endsWith(".ts") ? docComments(text) : [text]
  for (const [index, code] of texts.flatMap(snippets).entries()) {
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
