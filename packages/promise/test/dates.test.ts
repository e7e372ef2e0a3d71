import { describe, expect, it } from "vitest"
import * as Schema from "effect/Schema"
import * as Body from "@cloud-management/core/Body"
import * as Operation from "@cloud-management/core/Operation"
import { CloudManagement } from "@cloud-management/promise"
import { settings } from "./Stub.ts"

const operations = {
  spans: {
    any: Operation.make({
      group: "spans",
      name: "any",
      method: "PUT",
      path: "/v1/spans",
      summary: "Replace a span",
      payload: Body.json(Schema.Unknown),
      success: Body.json(Schema.Unknown),
      errors: [],
      scope: "key",
      stability: "stable"
    })
  }
}

const open = (content: string) => {
  const cloud = new CloudManagement({
    ...settings,
    operations,
    fetch: async () => new Response(content, { headers: { "content-type": "application/json" } })
  })
  return { cloud }
}

describe("content", () => {
  it("can be a result of any depth", async () => {
    const depth = 5000
    const { cloud } = open("[".repeat(depth) + "]".repeat(depth))
    let content = await cloud.spans.any({ payload: null })
    let seen = 0
    while (Array.isArray(content)) {
      seen++
      content = content[0]
    }
    expect(seen).toBe(depth)
  })

  it("keeps the names that it has in a result", async () => {
    const text = '{"__proto__":{"a":[1]},"~effect/DateTime":true,"constructor":"b"}'
    const { cloud } = open(text)
    expect(JSON.stringify(await cloud.spans.any({ payload: null }))).toBe(text)
  })
})
