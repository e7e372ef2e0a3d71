import { Child, expect, it } from "../../../checks/fixtures/index.ts"
import { readFileSync } from "node:fs"
import * as Setting from "../src/input/setting.ts"
import * as Invocation from "./Invocation.ts"

const unknown = (...names: ReadonlyArray<string>) =>
  Setting.unknown(Object.fromEntries(names.map((name) => [name, "x"])))

it("each variable of the documents is a setting", () => {
  const text = ["docs/service/operations.md", "packages/cli/README.md"].map((file) => readFileSync(file, "utf8")).join()
  const names = new Set(text.match(/CLOUD_MANAGEMENT_[A-Z_]*[A-Z]/g))
  expect(names.size).toBeGreaterThan(20)
  expect(unknown(...names)).toEqual([])
})

it("a variable that is no setting gets a warning, with the setting that was probably meant", () => {
  expect(unknown("CLOUD_MANAGEMENT_TLS_CRET", "CLOUD_MANAGEMENT_COLOUR", "CLOUD_MANAGEMENT\u009bX", "PORT")).toEqual([
    "CLOUD_MANAGEMENT_TLS_CRET is ignored, because it is not a setting. Did you mean CLOUD_MANAGEMENT_TLS_CERT?",
    "CLOUD_MANAGEMENT_COLOUR is ignored, because it is not a setting."
  ])
  // Kubernetes may have a service of the same name
  expect(unknown("CLOUD_MANAGEMENT_SERVICE_HOST", "CLOUD_MANAGEMENT_PORT_8080_TCP_ADDR")).toEqual([])
  expect(unknown("CLOUD_MANAGEMENT_PORT_HTTP")).toHaveLength(1)
  // as a shell without `unset` leaves it
  expect(Setting.unknown({ CLOUD_MANAGEMENT_COLOUR: "" })).toEqual([])
})

it.live("is noticed by each command, not by serve alone", function* () {
  const env = { CLOUD_MANAGEMENT_KEYID: "x" }
  const hint = "CLOUD_MANAGEMENT_KEYID is ignored, because it is not a setting. Did you mean CLOUD_MANAGEMENT_KEY_ID?"
  for (const args of [["profiles", "list"], ["whoami"]]) {
    expect((yield* Child.run(args, env)).stderr).toContain(`warning: ${hint}\n`)
  }
  const { stderr } = yield* Child.run(["profiles", "list", "--format", "json"], env)
  expect(JSON.parse(stderr)).toEqual({ warning: { tag: "UnknownVariable", message: hint } })
})

const url = "postgres://user:p4ss@127.0.0.1:1/cloud"
const exposed =
  "--database contains a password, which process lists show: set CLOUD_MANAGEMENT_DATABASE, or set CLOUD_MANAGEMENT_DATABASE_FILE to the path of a file that contains it"
it.each([
  [["--database", url], [exposed]],
  [[`--database=${url}`], [exposed]],
  [["--database", "postgres://user@127.0.0.1:1/cloud?password=p4ss"], [exposed]],
  [["--database", "postgres://user@127.0.0.1:1/cloud"], []],
  [["--database", "/nowhere/a:b@c.db"], []]
])("a flag with a password gets a warning that does not quote it: %j", (args, warnings) => {
  expect(Setting.exposed(args)).toEqual(warnings)
})

it.live("that warning is a line, or a document where stderr is JSON", function* () {
  const list = ["admin", "organizations", "list", "--database", url]
  expect((yield* Invocation.run(list)).stderr).toContain(`warning: ${exposed}\n`)
  const { stderr } = yield* Invocation.run([...list, "--format", "json"])
  expect(Child.documents(stderr)[0]).toEqual({ warning: { tag: "ExposedPassword", message: exposed } })
})
