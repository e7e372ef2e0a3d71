import { describe, it } from "../../../checks/fixtures/vitest.ts"
import { Effect, Schema } from "effect"
import { Body, Credentials, Operation } from "@cloud-management/client"
import { serve } from "../../../checks/fixtures/Listener.ts"
import { collect } from "../../../checks/fixtures/turns.ts"
import * as OverFetch from "../src/index.ts"
import * as OverUndici from "../src/node.ts"

const shared = { group: "things", method: "GET", path: "/v1/things", errors: [] } as const
const operations = {
  things: {
    bytes: Operation.make({ ...shared, name: "bytes", success: Body.stream() }),
    lines: Operation.make({ ...shared, name: "lines", success: Body.jsonLines(Schema.Unknown) }),
    events: Operation.make({ ...shared, name: "events", success: Body.events(Schema.Unknown) })
  }
}

describe.each([
  ["undici", OverUndici.Client],
  ["fetch", OverFetch.Client]
] as const)("a stream that is never read, over %s,", (_, Client) => {
  it.live.each(
    (["bytes", "lines", "events"] as const).flatMap((kind) =>
      (["return()", "dropping it"] as const).map((how) => [kind, how] as const)
    )
  )("of %s loses its connection by %s", function* ([kind, how]) {
    const closed = Promise.withResolvers<void>()
    let isClosed = false
    const baseUrl = yield* serve((request, response) => {
      request.socket.on("close", () => {
        isClosed = true
        closed.resolve()
      })
      response.writeHead(200, { "content-type": operations.things[kind].success.accept }).flushHeaders()
    })
    const credentials = Credentials.bearer("token-1")
    const cloud = yield* Effect.acquireRelease(
      Effect.sync(() => new Client({ baseUrl, credentials, operations })),
      (cloud) => Effect.promise(() => cloud.close())
    )
    yield* Effect.promise(async () => {
      const parts = await cloud.things[kind]()
      if (how === "return()") await parts.return()
    })
    while (how === "dropping it" && !isClosed) yield* Effect.promise(collect)
    yield* Effect.promise(() => closed.promise)
  })
})
