import { resolve } from "node:path"
import { defineConfig } from "vitest/config"
import projects from "./vitest.workspace.ts"

export default defineConfig({
  test: {
    projects: [...projects],
    // the tests leave nothing behind that another file could find; what they import is loaded once a worker
    isolate: false,
    // many tests wait for processes and sockets, which leaves room for others
    maxWorkers: "150%",
    globalSetup: "checks/leftovers.ts",
    // for the processes that tests start, most of whose time goes into reading the same TypeScript
    env: { NODE_COMPILE_CACHE: resolve("node_modules/.cache/compiled") },
    // titles are whole, as the documents name them
    taskTitleValueFormatTruncate: 0,
    // a bound on what hangs, not on what is slow: processes and sockets share two cores with everything else
    testTimeout: 180_000,
    hookTimeout: 180_000
  }
})
