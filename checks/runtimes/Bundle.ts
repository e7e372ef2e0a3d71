import { build } from "esbuild"
import { Effect } from "effect"
import { join } from "node:path"

export const make = (entry: string) =>
  Effect.promise(async () => {
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, entry)],
      bundle: true,
      format: "esm",
      platform: "browser",
      external: ["node:process"],
      target: "es2024",
      write: false,
      logLevel: "silent"
    })
    return outputFiles[0]?.text ?? ""
  })
