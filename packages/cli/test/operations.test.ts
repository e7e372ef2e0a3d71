import { expect, it, Listener } from "../../../checks/fixtures/index.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { Body, Envelope, Operation } from "@cloud-management/client"
import { commonRefusals } from "@cloud-management/core/Refusals"
import { operations } from "@cloud-management/core/Operations"
import { OrganizationId } from "@cloud-management/core/Organization"
import { Fixtures } from "@cloud-management/testing"
import * as Help from "../src/help/help.ts"
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
      description: "A widget turns.\n\nIt can be created once.",
      deprecated: true,
      payload: Body.json(Widget),
      success: Envelope.withResult(Widget)
    })
  }
}

const root = Command.make("cloud-management").pipe(
  Command.withSubcommands(
    Object.entries({ ...operations, ...registry }).map(([name, group]) => Operations.ofGroup(name, group))
  ),
  Command.withGlobalFlags(Format.settings)
)
const runWith = Command.runWith(root, { version: "0" })

it.live("an operation has its command, with arguments, content, parameters and result", function* () {
  const widget = { widgetName: "one", dnsNames: ["a", "b"] }
  // with a field of a newer service
  const stored = { ...widget, colour: { name: "red" } }
  const { received, url } = yield* Listener.replying((received) => ({
    status: 200,
    body: JSON.stringify({ status: 200, requestId: "r", result: received.at(-1)?.method === "GET" ? [stored] : stored })
  }))
  const run = (...args: ReadonlyArray<string>) => Invocation.run(args, Server.client(url), undefined, runWith(args))
  const shown = "Widget name  one\nDNS names    a\n             b\nColour       red\n\nRequest ID  r\n"
  expect(yield* run("big-widgets", "list", acme, "--query", "limit=2")).toEqual({ code: 0, stderr: "", stdout: shown })
  const create = ["big-widgets", "create", acme, "--data", JSON.stringify(widget)]
  const message = "the operation bigWidgets.create is deprecated: stop using it"
  expect(yield* run(...create)).toMatchObject({ code: 2, stderr: expect.stringMatching(`^warning: ${message}\n`) })
  expect(yield* run(...create, "--yes", "--format", "json")).toEqual({
    code: 0,
    stderr: `${JSON.stringify({ warning: { tag: "Deprecated", message } })}\n`,
    stdout: `${JSON.stringify(stored)}\n`
  })
  expect(received.map(({ body, method, target }) => [method, target, body])).toEqual([
    ["GET", `/v1/organizations/${acme}/widgets?limit=2`, ""],
    ["POST", `/v1/organizations/${acme}/widgets`, JSON.stringify(widget)]
  ])
  expect(yield* run("big-widgets", "create", acme, "--data", "{}", "--yes")).toMatchObject({ code: 2 })
  expect(received).toHaveLength(2)
})

it.effect("help shows what an operation says of itself, and the list above it the first line", function* () {
  const docs = yield* Effect.provide(Help.helps(root, runWith), NodeServices.layer)
  const all = Object.values<Readonly<Record<string, Operation.Any>>>({ ...operations, ...registry })
  const said = all
    .flatMap(Object.values<Operation.Any>)
    .map(({ annotations, deprecated, description, summary }) => [
      `${summary}${annotations?.stability === "beta" ? " (beta)" : ""}${deprecated === true ? " (deprecated)" : ""}`,
      ...(description?.split("\n\n") ?? [])
    ])
  const helps = docs.filter(({ subcommands }) => subcommands === undefined)
  expect(helps.map((doc) => Help.render(doc, { colour: false, width: 80 }).replace(/\n\nUSAGE[^]*/, ""))).toEqual(
    said.map((texts) => `DESCRIPTION\n  ${texts.join("\n\n  ")}`)
  )
  const listed = docs.flatMap(({ subcommands = [] }) => subcommands.flatMap(({ commands }) => commands))
  expect(listed.map(({ shortDescription }) => shortDescription)).toEqual(
    expect.arrayContaining(said.map(([first]) => first))
  )
})
