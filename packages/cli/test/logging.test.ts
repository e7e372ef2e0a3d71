import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import * as Child from "./Child.ts"
import * as Invocation from "./Invocation.ts"

const flood = Effect.fnUntraced(function* (entries: number) {
  const { end, process, until } = yield* Child.script([
    fileURLToPath(new URL("flood.ts", import.meta.url)),
    `${entries}`
  ])
  process.stderr.pause()
  yield* until("stdout", /logged/)
  process.stderr.resume()
  return { end, process, until }
})

const isEntry = (line: string) => / of a flood"/.test(line)

describe("the log", () => {
  it.live("does not wait in memory without limit for a reader that stalls, and then says how much it lost", () =>
    Effect.gen(function* () {
      const { end, process, until } = yield* flood(20_000)
      const [line, dropped] = yield* until(
        "stderr",
        /^\{"time":"[^"]+","level":"WARN","message":"(\d+) log entries were dropped because the reader was too slow"\}\n/m
      )
      process.stdin.end()
      const { stderr } = yield* end
      const lines = stderr.trimEnd().split("\n")
      const written = lines.filter(isEntry).length
      expect(written + Number(dropped)).toBe(20_000)
      // what the process keeps, and what is between it and its reader
      expect(stderr.length).toBeLessThan(2 * 2 ** 20)
      expect(lines.slice(written)).toEqual([line.trimEnd(), expect.stringContaining('"message":"the end"')])
    })
  )

  it.live("loses nothing while its reader follows", () =>
    Effect.gen(function* () {
      const { end, process } = yield* flood(100)
      process.stdin.end()
      const lines = (yield* end).stderr.trimEnd().split("\n")
      expect(lines.filter(isEntry)).toHaveLength(100)
      expect(lines).toHaveLength(101)
    })
  )
})

describe("a failure to start", () => {
  it.live("is in the log, if a program reads that", () =>
    Effect.gen(function* () {
      const failed = yield* Invocation.run(["serve", "--port", "x", "--log-format", "json"])
      expect(failed).toMatchObject({ code: 2, stdout: "" })
      expect(JSON.parse(failed.stderr)).toMatchObject({ level: "FATAL", tag: "Usage", exitCode: 2 })
      const text = yield* Invocation.run(["serve", "--port", "x", "--log-format", "pretty"], {
        CLOUD_MANAGEMENT_LOG_FORMAT: "json"
      })
      expect(text.stderr).toMatch(/^error: /)
      const other = ["admin", "organizations", "create", "serve", "--database", "/nonexistent/cloud.db"]
      const named = yield* Invocation.run(other, { CLOUD_MANAGEMENT_LOG_FORMAT: "json" })
      expect(named.stderr).toMatch(/^error: /)
    })
  )
})
