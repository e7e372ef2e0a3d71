import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"

const run = (word: string, path = process.env["PATH"]) => {
  const env = { ...process.env, PATH: path }
  const { status, stderr } = spawnSync(process.execPath, [`${import.meta.dirname}/main.ts`, word], {
    cwd: `${import.meta.dirname}/../..`,
    env,
    encoding: "utf8"
  })
  return { status, stderr }
}

it.each(["no-such-consumer", "node, esmx"])("check ecosystem %s fails: no consumer has this name", (word) => {
  const { status, stderr } = run(word)
  expect(status).toBe(1)
  expect(stderr).toContain(`no consumer ${word}; there are "Node, ESM", `)
})

it.each(["vite", "webpack"])("check ecosystem %s fails without Chromium, which it needs", (word) => {
  const { status, stderr } = run(word, "")
  expect(status).toBe(1)
  expect(stderr).toMatch(new RegExp(`"${word}": not installed: chromium \\(Debian: apt-get install chromium\\)`, "i"))
})
