import { execFileSync } from "node:child_process"
import { expect, it } from "@effect/vitest"

/** A runtime, a test environment or a mock can lack them, or have them later. */
const globals = [
  "AbortController",
  "AbortSignal",
  "Blob",
  "DOMException",
  "Event",
  "EventTarget",
  "File",
  "FormData",
  "Headers",
  "MessageChannel",
  "ReadableStream",
  "Request",
  "Response",
  "TransformStream",
  "WritableStream",
  "XMLHttpRequest",
  "crypto",
  "fetch",
  "navigator",
  "performance",
  "structuredClone"
]

it.each([
  "promise/src/index.ts",
  "promise/src/node.ts",
  "browser/src/index.ts",
  "core/src/index.ts",
  "node/src/index.ts"
])("%s is imported without the globals of the web", (entry) => {
  const program = `
      // which takes what it needs from its own realm, also beside the sandbox of a test runner
      await import("node:http")
      for (const name of ${JSON.stringify(globals)}) delete globalThis[name]
      console.log(typeof await import(${JSON.stringify(new URL(`../../${entry}`, import.meta.url))}))
    `
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" })
  expect(output.trim()).toBe("object")
})
