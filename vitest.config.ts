import { defineConfig } from "vitest/config"
import projects from "./vitest.workspace.ts"

export default defineConfig({
  test: {
    projects: [...projects],
    // titles are whole, as the documents name them
    taskTitleValueFormatTruncate: 0,
    // a bound on what hangs, not on what is slow: processes and sockets share two cores with everything else
    testTimeout: 180_000,
    hookTimeout: 180_000
  }
})
