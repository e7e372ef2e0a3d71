/**
 * `npm run test:registry`: the client with operations of its own against a server that nobody here wrote, verdaccio, a
 * registry of npm packages: tokens, refusals with bodies, uploads, streams and deletions. It is installed first, from
 * `checks/registry/pnpm-lock.yaml`. Every step is over undici and over fetch. It
 * catches what client and service agree on and no other server does.
 */
import * as Client from "@cloud-management/core/Client"
import type * as CloudError from "@cloud-management/core/CloudError"
import * as Credentials from "@cloud-management/core/Credentials"
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import assert from "node:assert/strict"
import { execSync, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import * as Child from "../fixtures/Child.ts"
import * as ServerProcess from "../fixtures/ServerProcess.ts"
import { operations } from "./operations.ts"

const install = "npx --yes --loglevel=error pnpm@12.21.0 install --ignore-scripts --frozen-lockfile --prefer-offline"
execSync(`${install} --loglevel=error`, { cwd: "checks/registry", stdio: "inherit" })

const config = `
storage: ./storage
auth: { htpasswd: { file: ./htpasswd } }
uplinks: {}
max_body_size: 20mb
packages:
  "secret-*": { access: $authenticated, publish: $authenticated }
  "**": { access: $all, publish: $authenticated, unpublish: $authenticated }
log: { type: stdout, format: json, level: warn }
`

const server = Effect.gen(function* () {
  const folder = yield* Child.folder({ "config.yaml": config })
  const port = yield* ServerProcess.freePort
  const verdaccio = "checks/registry/node_modules/verdaccio/bin/verdaccio"
  const args = [verdaccio, "--config", `${folder}/config.yaml`, "--listen", `127.0.0.1:${port}`]
  yield* Effect.acquireRelease(
    ServerProcess.start(() => spawn(process.execPath, args), "stdout", "http address"),
    (child) => ServerProcess.end(child, "SIGKILL")
  )
  return `http://127.0.0.1:${port}`
})

/** 3 MB that do not compress, as the content of a package. */
const content = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 2_654_435_761) >>> 13)
const digest = (bytes: Uint8Array) => createHash("sha1").update(bytes).digest("hex")

/** The reason of a call that must fail. */
const reasonOf = <A, R extends { readonly _tag: string; readonly message: string }>(
  call: Effect.Effect<A, CloudError.CloudError<R>>
) => Effect.map(Effect.flip(call), ({ outcome, reason, status }) => ({ reason, outcome, status }))

const use = Effect.fnUntraced(function* (baseUrl: string, user: string) {
  const options = { baseUrl, maxResponseBytes: 8 * 1024 * 1024 }
  const connect = (token: string) =>
    Client.make(operations, { ...options, credentials: Credentials.schemes({ token: Credentials.bearer(token) }) })
  const { registry: stranger } = yield* connect("wrong-token")
  const account = { name: user, password: "a long password" }

  const created = yield* stranger.logIn({ name: user, payload: account })
  assert.equal(created.status, 201)
  const again = yield* reasonOf(stranger.logIn({ name: user, payload: { ...account, password: "another password" } }))
  assert.deepEqual([again.reason._tag, again.outcome, again.status], ["Unauthorized", "refused", 401])

  const { registry } = yield* connect(created.value.token)
  assert.equal((yield* registry.whoAmI()).username, user)
  assert.equal((yield* stranger.whoAmI()).username, undefined)

  const name = `package-of-${user}`
  const missing = yield* reasonOf(registry.read({ name }))
  assert(missing.reason._tag === "NotFound")
  assert.equal(missing.reason.body.error, "no such package available")

  const file = `${name}-1.0.0`
  const payload = {
    _id: name,
    name,
    "dist-tags": { latest: "1.0.0" },
    versions: {
      "1.0.0": {
        name,
        version: "1.0.0",
        description: "ü✓",
        dist: { tarball: `${baseUrl}/${name}/-/${file}.tgz`, shasum: digest(content) }
      }
    },
    _attachments: {
      [`${file}.tgz`]: { content_type: "application/octet-stream", data: content, length: content.length }
    }
  }
  const refused = yield* reasonOf(stranger.publish({ name, payload }))
  assert(refused.reason._tag === "Unauthorized")
  assert.match(refused.reason.body.error, /authorization required/)
  yield* registry.publish({ name, payload })
  const twice = yield* reasonOf(registry.publish({ name, payload }))
  assert(twice.reason._tag === "AlreadyPublished")
  assert.deepEqual([twice.status, twice.outcome, twice.reason.message], [409, "refused", twice.reason.body.error])

  const manifest = yield* registry.read({ name })
  assert.equal(manifest.versions["1.0.0"]?.description, "ü✓")
  assert.equal(manifest["dist-tags"]["latest"], "1.0.0")

  const tarball = yield* registry.download({ name, file })
  const hash = createHash("sha1")
  yield* Stream.runForEach(tarball, (part) => Effect.sync(() => hash.update(part)))
  assert.equal(hash.digest("hex"), digest(content))
  const first = yield* Stream.runCollect(Stream.take(yield* registry.download({ name, file }), 1))
  assert.equal(first.length, 1)
  assert.equal((yield* reasonOf(registry.download({ name, file: "nothing" }))).reason._tag, "NotFound")
  assert.equal((yield* reasonOf(stranger.read({ name: "secret-thing" }))).reason._tag, "Unauthorized")

  const { objects } = yield* registry.search({ query: { text: name, size: 5 } })
  assert.deepEqual(
    objects.map(({ package: { name } }) => name),
    [name]
  )

  yield* registry.tag({ name, tag: "next", payload: "1.0.0" })
  assert.deepEqual(yield* registry.tags({ name }), { latest: "1.0.0", next: "1.0.0" })

  const odd = yield* reasonOf(registry.read({ name: `../${name}/-rev/1` }))
  assert(odd.reason._tag === "NotFound" || odd.reason._tag === "Rejected")

  yield* registry.unpublish({ name, revision: manifest._rev })
  assert.equal((yield* reasonOf(registry.read({ name }))).reason._tag, "NotFound")
})

const program = Effect.gen(function* () {
  const url = yield* server
  for (const [name, transport] of Object.entries({ undici: NodeTransport.layer, fetch: FetchTransport.layer })) {
    yield* Effect.scoped(Effect.provide(use(url, name), transport))
    console.log(`a registry of npm packages, over ${name}: every step is as expected`)
  }
})
await Effect.runPromise(Effect.scoped(program))
