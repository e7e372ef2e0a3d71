/** `npm run check version`: raises the versions, and what a package says of itself to others is its new version too. */
import { execFileSync } from "node:child_process"
import { globSync, readFileSync, writeFileSync } from "node:fs"

execFileSync("npx", ["changeset", "version"], { stdio: "inherit" })

for (const file of globSync("packages/*/src/{,internal/}version.ts")) {
  const manifest = readFileSync(file.replace(/src.*/, "package.json"), "utf8")
  const { version }: { readonly version: string } = JSON.parse(manifest)
  writeFileSync(file, readFileSync(file, "utf8").replace(/(?<=version = ")[^"]+/, version))
}
