import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rows, text } from "./errors.ts"
import { calls, connect } from "../../packages/core/test/Stub.ts"

/** Those of a final response with a body. */
const statuses = Array.from({ length: 400 }, (_, i) => 200 + i).filter((status) => ![204, 205, 304].includes(status))

describe("docs/errors.md", () => {
  it("is what the code says: run this test with -u to write it", async () => {
    // each reason has its meaning and its advice
    expect(text).not.toMatch(/\| *\|/)
    await expect(text).toMatchFileSnapshot("../../docs/errors.md")
  })

  it.effect.each(Object.entries(calls))(
    "has each error of %s, whatever the status and whoever answers",
    ([name, call]) =>
      Effect.gen(function* () {
        let answer = { status: 0, body: "" }
        const { cloud } = yield* connect(() => new Response(answer.body, answer))
        for (const status of statuses) {
          const bodies = ["<html>", ...(status < 300 ? [] : [JSON.stringify({ status, error: "CODE: text" })])]
          for (const body of bodies) {
            answer = { status, body }
            const error = yield* Effect.flip(call(cloud))
            const found = rows.filter(({ reason }) => reason === error.reason._tag)
            expect(found).toHaveLength(1)
            for (const row of found) {
              expect(row.operations).toMatch(new RegExp(`^all$|\`${name}\``))
              if (/^\d+$/.test(row.status)) expect(row.status).toBe(`${status}`)
              else expect(row.status === "2xx").toBe(status < 300)
              const isRetryable = row.retryable === "yes" || row.retryable.split(", ").includes(`${status}`)
              expect([status, error.isRetryable]).toEqual([status, isRetryable])
            }
          }
        }
      })
  )
})
