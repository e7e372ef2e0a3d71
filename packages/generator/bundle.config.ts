/**
 * What begins each run of the command, in few files with what it loads of others: Node.js takes long to find two hundred. `verify`
 * and `mock` are the modules that `tsc` makes: the client that calls generated code has to be the one of its project.
 */
import type { RolldownOptions } from "rolldown"
import { plugins } from "../cli/bundled.ts"

export default {
  cwd: import.meta.dirname,
  input: "src/internal/main.ts",
  platform: "node",
  external: ["undici", "ipaddr.js"],
  plugins: [
    {
      name: "others",
      resolveId: (id: string) =>
        /^\.\/(verify|served)\//.test(id) ? { id: `.${id.replace(/ts$/, "js")}`, external: true } : undefined
    },
    ...plugins
  ],
  output: { dir: "dist/command", cleanDir: true, chunkFileNames: "[name].js", comments: { jsdoc: false } },
  onLog: (_, log) => {
    throw new Error(log.message)
  }
} satisfies RolldownOptions
