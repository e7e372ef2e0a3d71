import { defineConfig } from "vitest/config"

export default defineConfig({
  test: { include: ["packages/client/test/**/*.test.ts", "checks/faults/sockets.test.ts"], isolate: false }
})
