import { defineConfig } from "vitest/config"

export default defineConfig({
  test: { include: ["packages/client/test/**/*.test.ts", "checks/faults/memory.test.ts"], isolate: false }
})
