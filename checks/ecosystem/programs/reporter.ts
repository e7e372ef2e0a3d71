/** Prints the state of each test, and nothing that differs from run to run. */
import type { Reporter, TestModule } from "vitest/node"

export default class implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const states = tests.map((test) => `${test.name}: ${test.result().state}`)
    console.log(states.toSorted().join("; "))
  }
}
