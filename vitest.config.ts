import { defineConfig } from "vitest/config"
import projects from "./vitest.workspace.ts"

export default defineConfig({
  test: {
    projects: [...projects],
    // a bound on what hangs, not on what is slow: processes and sockets share two cores with everything else
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
