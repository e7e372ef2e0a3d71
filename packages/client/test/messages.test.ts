import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "../../..")

const mistakes: ReadonlyArray<readonly [code: string, sentence: string]> = [
  ["Client.make({ thing: { get: thing } }, options)", "thing.get is the operation things.get"],
  ["Client.make({ things: { get: thing, read: thing } }, options)", "things.read is the operation things.get"],
  ["Client.make({ execute: { get: thing } }, options)", "execute is a method of every client"],
  ["cloud.apiKeys.delete({ organizationId })", "Property 'keyId' is missing in type '{ organizationId: string"],
  [
    "cloud.apiKeys.delete({ organizationId, keyId: organizationId })",
    "Type 'string & Brand<\"OrganizationId\">' is not assignable to type 'string & Brand<\"ApiKeyId\">'"
  ],
  [
    'list.pipe(Effect.catchReason("CallError", "ApiKeyNotFound", () => Effect.void))',
    "'\"ApiKeyNotFound\"' is not assignable to parameter"
  ],
  ['list.pipe(Effect.catchTag("CloudErorr", () => Effect.void))', "'\"CloudErorr\"' is not assignable to parameter"],
  [
    'list.pipe(Effect.unwrapReason("CallError"), Effect.catchTag("ApiKeyNotFound", () => Effect.void))',
    "'\"ApiKeyNotFound\"' is not assignable to parameter"
  ],
  ['make({ ...base, path: "/v1/things/:id" })', "the path has :id, which params lacks"],
  [
    'make({ ...base, path: "/v1/things/:size", params: Schema.Struct({ size: Schema.Finite }) })',
    "Type '{ readonly size: number; }' is not assignable to type"
  ],
  ['make({ ...base, path: "v1/things" })', "Type '\"v1/things\"' is not assignable to type '`/${string}`'"],
  ["make({ ...v1, errors: [CallError.TransportFailed] })", "Property 'status' is missing in type"],
  ['Operation.make({ group: "a", name: "b", method: "GET", path: "/", errors: [] })', "Property 'success' is missing"],
  ['make({ ...v1, method: "TRACE" })', "Type '\"TRACE\"' is not assignable to type 'Method'"],
  ["Operation.query(Schema.Struct({ size: Schema.Finite, text: Schema.String }))", "size does not encode to text"],
  [
    "make({ ...v1, headers: Operation.headers(Schema.Struct({ Accept: Schema.String })) })",
    "Accept is a header of HTTP, which the client sets"
  ],
  [
    'make({ ...base, path: "/v1", headers: Operation.headers(Schema.Struct({ "Keep-Alive": Schema.String })) })',
    "Keep-Alive is a header of HTTP, which the client sets"
  ],
  ['make({ ...base, path: "/:x", params: Schema.Struct({ y: Schema.String }) })', "params has y, which the path lacks"],
  [
    'make({ ...base, path: "/v1/:query", params: Schema.Struct({ query: Schema.String }) })',
    "query is the name of another part of the input"
  ],
  ["make({ ...v1, payload: Body.text() })", "a GET request has no content"],
  ['make({ ...v1, method: "HEAD" })', "a response to HEAD has no content"],
  [
    'make({ ...v1, method: "HEAD", success: Body.oneOf(Body.status(204, Body.empty), Body.status(200, Body.text())) })',
    "a response to HEAD has no content"
  ],
  [
    'make({ ...v1, pagination: Operation.offset({ query: "after", items: "more" }) })',
    "pagination sets after, which query lacks"
  ],
  [
    'make({ ...v1, ...from, pagination: Operation.offset({ query: "from", items: "all" }) })',
    "success has no array at all, where pagination reads the items"
  ],
  [
    'make({ ...v1, ...from, pagination: Operation.cursor({ query: "from", next: "next", items: "more" }) })',
    "success has nothing at next, where pagination reads the next cursor"
  ],
  [
    'make({ ...v1, ...from, pagination: Operation.offset({ query: "from", items: "more", more: "more.-1.name" }) })',
    "success has nothing that pagination understands at more.-1.name, where it reads whether more follow"
  ],
  [
    "Body.oneOf(Body.status(200, Body.empty), Body.redirect(302))",
    "'Redirect<302>' is not assignable to parameter of type 'Alternative'"
  ],
  [
    "Effect.runPromise(program)",
    "CallError<BadRequest | Forbidden | InternalError | RateLimited | ServiceUnavailable | Unauthorized | ClientReason>, CloudManagement>' is not assignable"
  ],
  ["make({ ...v1, success: Body.json(withService) })", "Type 'Service' is not assignable to type 'never'"],
  ["list.pipe(Effect.map((a): string => a))", "[Organization, ...Organization[]]' is not assignable to type 'string'"],
  [
    'make({ ...v1, errors: [CallError.refusal("A", 409), CallError.refusal("B", 409)] })',
    "two errors have the status 409"
  ]
]

const head = `import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Body from "@cloud-management/client/Body"
import * as Client from "@cloud-management/client/Client"
import * as CallError from "@cloud-management/client/CallError"
import * as Refusals from "@cloud-management/core/Refusals"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Operation from "@cloud-management/client/Operation"
import { OrganizationId } from "@cloud-management/core/Organization"
declare const cloud: CloudManagement.CloudManagementClient
declare const options: Client.Options
declare const organizationId: OrganizationId
const list = cloud.organizations.list()
const program = Effect.flatMap(CloudManagement.CloudManagement, ({ organizations }) => organizations.list())
class Service extends Context.Service<Service, string>()("Service") {}
declare const withService: Schema.Codec<string, string, Service>
const base = { group: "things", name: "get", method: "GET", success: Body.json(Schema.Struct({ id: Schema.String, more: Schema.Array(Schema.Struct({ name: Schema.String })) })), errors: Refusals.commonRefusals } as const
const { make } = Operation
const v1 = { ...base, path: "/v1" } as const
const from = { query: Operation.query(Schema.Struct({ from: Schema.String })) } as const
const thing = Operation.make({ ...base, path: "/v1/things" })
`

it("the compiler's message for a mistake begins with its sentence", () => {
  // where no other check looks, with the packages of a user's project
  const cache = join(root, "node_modules/.cache")
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "messages-"))
  try {
    const lines = mistakes.map(([code], i) => `export const m${i} = ${code}`)
    const file = join(folder, "mistakes.ts")
    symlinkSync(join(root, "examples/node_modules"), join(folder, "node_modules"))
    writeFileSync(file, head + lines.join("\n"))
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: join(root, "tsconfig.json"),
        compilerOptions: { noEmit: true, composite: false, incremental: false, rootDir: root, noUnusedLocals: false },
        include: [],
        files: [file]
      })
    )
    const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder, "--pretty", "false"], {
      encoding: "utf8"
    })
    const first = head.split("\n").length
    const messages = stdout.split(/\n(?=\S+\.ts\()/)
    for (const [i, [code, sentence]] of mistakes.entries()) {
      const message = messages.find((message) => message.includes(`.ts(${first + i},`)) ?? ""
      const text = message.replace(/^.*?: error TS\d+: /, "")
      expect(text.slice(0, 300), `${code}:\n${text}`).toContain(sentence)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
