import type { TestProjectConfiguration } from "vitest/config"

/** One project a package, so that `vitest --project core` runs one room. */
const projects: ReadonlyArray<TestProjectConfiguration> = [
  ...["core", "node", "browser", "promise", "service", "testing"].map((name) => ({
    extends: true as const,
    test: { name, include: [`packages/${name}/test/**/*.test.ts`] }
  })),
  {
    extends: true,
    test: { name: "cli", include: ["packages/cli/test/**/*.test.ts"], globalSetup: "packages/cli/test/bundle.ts" }
  },
  { extends: true, test: { name: "examples", include: ["examples/**/*.test.ts"] } },
  { extends: true, test: { name: "scripts", include: ["scripts/**/*.test.ts"] } }
]

export default projects
