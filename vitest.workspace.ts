import type { TestProjectConfiguration } from "vitest/config"

/** The tests that start the command run what is published. */
const globalSetup = "checks/fixtures/bundle.ts"

/** One project a package, so that `vitest --project core` runs one room. */
const projects: ReadonlyArray<TestProjectConfiguration> = [
  ...["client", "core", "node", "browser", "promise", "service", "testing", "generator"].map((name) => ({
    extends: true as const,
    test: { name, include: [`packages/${name}/test/**/*.test.ts`] }
  })),
  { extends: true, test: { name: "cli", include: ["packages/cli/test/**/*.test.ts"], globalSetup } },
  { extends: true, test: { name: "examples", include: ["examples/**/*.test.ts"], globalSetup } },
  { extends: true, test: { name: "checks", include: ["checks/**/*.test.ts"], globalSetup } }
]

export default projects
