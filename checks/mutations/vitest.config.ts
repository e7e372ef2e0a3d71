import { defineConfig } from "vitest/config"

/** The tests that judge the loop of a call. */
export default defineConfig({
  test: { include: ["packages/client/test/**/*.test.ts", "checks/faults/memory.test.ts"], isolate: false }
})
