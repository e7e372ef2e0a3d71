import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Body from "@cloud-management/core/Body"
import { commonRefusals } from "@cloud-management/core/CloudError"
import * as Envelope from "@cloud-management/core/Envelope"
import * as Operation from "@cloud-management/core/Operation"
import { OrganizationId } from "@cloud-management/core/Organization"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Format from "../src/output/Format.ts"
import * as Operations from "../src/operations/commands.ts"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

const { acme } = Fixtures
const Widget = Schema.Struct({ widgetName: Schema.String, dnsNames: Schema.Array(Schema.String) })
const shared = {
  group: "bigWidgets",
  path: "/v1/organizations/:organizationId/widgets",
  params: Schema.Struct({ organizationId: OrganizationId }),
  errors: commonRefusals
} as const
const registry = {
  bigWidgets: {
    list: Operation.make({
      ...shared,
      name: "list",
      method: "GET",
      summary: "List widgets",
      query: Operation.query(Schema.Struct({ limit: Schema.FiniteFromString })),
      success: Envelope.withResult(Schema.Array(Widget))
    }),
    create: Operation.make({
      ...shared,
      name: "create",
      method: "POST",
      summary: "Create a widget",
      payload: Body.json(Widget),
      success: Envelope.withResult(Widget)
    })
  }
}

it.live("an operation has its command from the registry, with its arguments, content, parameters and result", () =>
  Effect.gen(function* () {
    const widget = { widgetName: "one", dnsNames: ["a", "b"] }
    const { received, url } = yield* Server.answering((received) => ({
      status: 200,
      body: JSON.stringify({
        status: 200,
        requestId: "r",
        result: received.at(-1)?.method === "GET" ? [widget] : widget
      })
    }))
    const root = Command.make("cloud-management").pipe(
      Command.withSubcommands(Operations.of(registry)),
      Command.withGlobalFlags([Format.Format])
    )
    const run = (...args: ReadonlyArray<string>) =>
      Invocation.run(args, Server.client(url), undefined, Command.runWith(root, { version: "0" })(args))
    const shown = "Widget name  one\nDNS names    a\n             b\n\nRequest ID  r\n"
    expect(yield* run("big-widgets", "list", acme, "--query", "limit=2")).toEqual({
      code: 0,
      stderr: "",
      stdout: shown
    })
    const create = ["big-widgets", "create", acme, "--data", JSON.stringify(widget)]
    expect(yield* run(...create)).toMatchObject({ code: 2 })
    const created = yield* run(...create, "--yes", "--format", "json")
    expect(created).toMatchObject({ code: 0, stdout: `${JSON.stringify(widget)}\n` })
    expect(received.map(({ body, method, target }) => [method, target, body])).toEqual([
      ["GET", `/v1/organizations/${acme}/widgets?limit=2`, ""],
      ["POST", `/v1/organizations/${acme}/widgets`, JSON.stringify(widget)]
    ])
    expect(yield* run("big-widgets", "create", acme, "--data", "{}", "--yes")).toMatchObject({ code: 2 })
    expect(received).toHaveLength(2)
  })
)
