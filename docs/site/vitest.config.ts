import { defineConfig } from "vitest/config"

/** The tests of the fault lab, which `npm run check site` runs: what they import is installed for the site only. */
export default defineConfig({ test: { include: ["src/lab/test/*.test.ts"], testTimeout: 180_000 } })
