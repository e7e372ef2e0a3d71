import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Policy from "../policy.ts"
import * as State from "../state.ts"
import * as Run from "../run.ts"

const request = { method: "DELETE", path: `/v1/organizations/${Fixtures.acme}/keys/${Fixtures.backupKey.id}` }
const headers = { "content-type": "application/json" }
const text = JSON.stringify({
  version: 1,
  entries: [
    {
      request,
      millis: 120,
      failure: [{ message: "read ECONNRESET", code: "ECONNRESET" }]
    },
    {
      request,
      millis: 30,
      response: {
        status: 404,
        headers,
        body: { json: { status: 404, error: "NOT_FOUND: Key is not found", requestId: "r" } }
      }
    }
  ]
})
const state = (text: string): State.State => ({
  ...State.initial,
  scenario: "cassette",
  cassette: { file: "deletion.json", text }
})

describe("a cassette", () => {
  it.effect("is replayed with its durations", () =>
    Effect.gen(function* () {
      const { calls, notes } = yield* Run.run(Result.getOrThrow(State.setupOf(state(text))), Policy.standard, 1)
      expect(notes).toEqual([])
      expect(calls).toHaveLength(1)
      expect(calls[0]?.ending).toEqual({ _tag: "Succeeded", assumedDeleted: true })
      expect(calls[0]?.attempts.map(({ end = NaN, start }) => Math.round(end - start))).toEqual([120, 30])
    })
  )

  it.effect.each([
    [
      "says which request it does not have",
      JSON.stringify({ ...JSON.parse(text), entries: JSON.parse(text).entries.slice(0, 1) }),
      "deletion.json has no recording left for DELETE"
    ],
    ["of another version gets the message of Recorder", text.replace('"version":1', '"version":9'), "Expected 1"]
  ] as const)("%s", ([, recorded, message]) =>
    Effect.gen(function* () {
      const { notes } = yield* Run.run(Result.getOrThrow(State.setupOf(state(recorded))), Policy.standard, 1)
      expect(notes.join()).toContain(message)
    })
  )

  const wrong: ReadonlyArray<readonly [what: string, text: string, message: string]> = [
    ["text", "hello", "This is not a cassette"],
    ["another JSON", "[1]", "This is not a cassette"],
    ["a cassette without entries", '{"version":1,"entries":[]}', "The cassette is empty."],
    [
      "a cassette of another API",
      '{"version":1,"entries":[{"request":{"method":"GET","path":"/v2/teapots"}}]}',
      "The lab cannot repeat GET /v2/teapots"
    ]
  ]
  it.each(wrong)("is not %s", (_, text, message) => {
    const opened = State.setupOf(state(text))
    expect(Result.isFailure(opened) ? opened.failure : "opened").toContain(message)
  })
})
