import { Child, describe, exits, expect, it } from "../../../checks/fixtures/index.ts"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { Fixtures } from "@cloud-management/testing"
import * as Invocation from "./Invocation.ts"
import * as Seeded from "./Seeded.ts"
import * as Server from "./Server.ts"

const { acme, analytics, backupKey, deployKey, globex, pendingEndpoint, readyEndpoint } = Fixtures
const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
const unknown = "00000000-0000-4000-8000-000000000000"

const newKey = {
  id: expect.stringMatching(uuid),
  state: "enabled",
  expired: false,
  expiresAt: expect.stringMatching(/Z$/),
  createdAt: expect.stringMatching(/Z$/),
  lastUsedAt: null,
  secret: expect.stringMatching(/^cmk_[\w-]{43}$/)
}

/** The fixtures in a database, and `json`, which gives the result of a command, and the audit record that comes with it. */
const using = <E, R>(database: Effect.Effect<Effect.Success<ReturnType<typeof Seeded.make>>, E, R>) =>
  Effect.map(database, (database) => ({
    ...database,
    json: (...args: ReadonlyArray<string>) =>
      Effect.map(database.done(...args), ({ stderr, stdout }) => {
        const [record] = stderr.split("\n").filter((line) => line !== "")
        const { time, actor, level, message, outcome, ...audit } = JSON.parse(record ?? "{}")
        if (record !== undefined) {
          expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
          const operator = expect.stringMatching(/^operator:./)
          expect([actor, level, message, outcome]).toEqual([operator, "INFO", audit.audit, "success"])
        }
        return { result: JSON.parse(stdout), audit: record === undefined ? undefined : audit }
      })
  }))
const seeded = using(Seeded.seeded())

it.live("the last use of a key is never shown as before the key was made, whose hour had begun", function* () {
  const createdAt = "2026-01-01T10:30:00.000Z"
  const key = { ...Fixtures.seed.organizations[0]?.apiKeys?.[0], createdAt, lastUsedAt: "2026-01-01T10:00:00.000Z" }
  const organization = { id: acme, name: "Acme", createdAt, apiKeys: [key] }
  const { admin, result } = yield* Seeded.seeded({ organizations: [organization] })
  expect(yield* result("keys", "list", acme)).toMatchObject([{ lastUsedAt: createdAt, expired: false }])
  const { stdout } = yield* admin("keys", "list", acme)
  expect(stdout).toMatch(/^ID +State +Created +Last used +Expires +Name\n\S+ +enabled +2026\S+ +2026-01-01T10:30/)
})

describe("admin", () => {
  it.live("makes an organization in a new database, a service, an endpoint and a key that signs in", function* () {
    const { file, json } = yield* using(Seeded.make())
    const organization = yield* json("organizations", "create", "Acme")
    const organizationId: string = organization.result.id
    expect(organization).toEqual({
      result: {
        id: expect.stringMatching(uuid),
        name: "Acme",
        createdAt: expect.stringMatching(/Z$/),
        privateEndpoints: [],
        byocConfig: []
      },
      audit: { audit: "organization.created", organizationId }
    })
    const service = yield* json("services", "create", organizationId, "analytics", "--id", analytics.toUpperCase())
    expect(service).toEqual({
      result: { id: analytics, organizationId, name: "analytics" },
      audit: { audit: "service.created", organizationId, serviceId: analytics }
    })
    const endpoint = yield* json(
      ..."endpoints create --type VPC_RESOURCE --description orders".split(" "),
      ..."--dns-name a.example.com --dns-name b.example.com --vpc-resource-share-arn arn:x".split(" "),
      organizationId,
      analytics
    )
    const reversePrivateEndpointId = endpoint.result.id
    expect(endpoint).toEqual({
      result: {
        id: expect.stringMatching(uuid),
        organizationId,
        serviceId: analytics,
        description: "orders",
        type: "VPC_RESOURCE",
        status: "Provisioning",
        dnsNames: ["a.example.com", "b.example.com"],
        privateDnsNames: [],
        vpcResourceShareArn: "arn:x"
      },
      audit: { audit: "endpoint.created", organizationId, serviceId: analytics, reversePrivateEndpointId }
    })
    const key = yield* json("keys", "create", organizationId, "deploy", "--expires", "90d")
    expect(key.result).toEqual({ ...newKey, organizationId, name: "deploy" })
    expect(key.audit).toMatchObject({ audit: "key.created", keyId: key.result.id, expiresAt: key.result.expiresAt })

    const { url } = yield* Child.serve("--database", file)
    const client = Server.client(url, key.result)
    const get = ["endpoints", "get", organizationId, analytics, reversePrivateEndpointId]
    expect(yield* Invocation.run(["organizations", "list"], client)).toMatchObject({ code: 0 })
    expect(yield* Invocation.run(get, client)).toMatchObject({ code: 0 })
    // from the next request on, in a service that runs
    yield* json("keys", "disable", organizationId, key.result.id)
    expect(yield* Invocation.run(get, client)).toMatchObject({ code: 4 })
    yield* json("keys", "enable", organizationId, key.result.id)
    expect(yield* Invocation.run(get, client)).toMatchObject({ code: 0 })
  })

  it.live("shows a new secret once, and only there", function* () {
    const { admin } = yield* seeded
    const created = yield* admin("keys", "create", acme, "new", "--expires", "2100-01-31")
    expect(created.stdout).toMatch(
      new RegExp(
        `^ID +${uuid}\nOrganization ID  ${acme}\nName +new\nState +enabled\nCreated +20\\d\\d-.{18}Z\nLast used +not recorded\nExpires +2100-01-31T00:00:00.000Z\n` +
          "Secret +cmk_[\\w-]{43}\n\nSave the secret now: it is not shown again, and only its digest is stored.\n$"
      )
    )
    const [secret = ""] = /cmk_[\w-]{43}/.exec(created.stdout) ?? []
    const rest = yield* Effect.all([admin("keys", "list", acme), admin("export")])
    const text = created.stderr + rest.map(({ stderr, stdout }) => stdout + stderr).join("")
    expect(text).toContain("new")
    expect(text).not.toContain(secret)
    expect(text).not.toContain(deployKey.secret)
  })

  it.live("lists organizations, services, endpoints and keys", function* () {
    const { admin } = yield* seeded
    const list = (...args: ReadonlyArray<string>) => Effect.map(admin(...args), ({ stdout }) => stdout)
    expect(yield* list("organizations", "list")).toBe(
      [
        "ID                                    Name    Created",
        `${acme}  Acme    2026-01-01T00:00:00.000Z`,
        `${globex}  Globex  2026-02-01T00:00:00.000Z\n`
      ].join("\n")
    )
    expect(yield* list("services", "list", acme)).toMatch(new RegExp(`\n${analytics}  analytics\n$`))
    expect(yield* list("endpoints", "list", acme, analytics)).toMatch(
      new RegExp(`\n${readyEndpoint}  VPC_ENDPOINT_SERVICE  Ready +orders\n${pendingEndpoint}  MSK_MULTI_VPC `)
    )
    expect(yield* list("keys", "list", acme.toUpperCase())).toMatch(
      / {2}disabled {2}unknown {2}not recorded {2}never +disabled\n.* {2}expired {3}unknown {2}not recorded {2}2020-/
    )
  })

  it.live("lists IDs alone, which others take from stdin, and does not lose a secret that way", function* () {
    const { admin, file, result } = yield* Seeded.seeded()
    const { stdout } = yield* admin("keys", "list", acme, "--format", "ids")
    expect(stdout.split("\n")).toContain(backupKey.id)
    const args = ["admin", "keys", "disable", acme, "-", "--database", file]
    expect(yield* Child.run(args, {}, stdout)).toMatchObject({ code: 0 })
    const keys = yield* result("keys", "list", acme)
    expect(keys.filter(({ state }: { readonly state: string }) => state === "enabled")).toEqual([])
    expect(yield* Child.run(args, {}, "x")).toMatchObject(exits(2, '<KEY_ID>: "x"'))
    expect(yield* admin("keys", "create", acme, "lost", "--format", "ids")).toMatchObject({ code: 2, stdout: "" })
    const deletion = yield* admin("keys", "delete", acme, backupKey.id, "--yes", "--format", "ids")
    expect(deletion).toMatchObject({ code: 0, stdout: `${backupKey.id}\n` })
    expect(deletion.stderr).not.toContain("NoIds")
    expect(deletion.stderr).not.toContain("warning")
  })

  it.live("changes what is there, and records which fields", function* () {
    const { admin, json } = yield* seeded
    const update = ["endpoints", "update", acme, analytics, pendingEndpoint]
    const before = (yield* json("endpoints", "list", acme, analytics)).result[1]
    const changed = yield* json(...update, "--status", "Ready", "--private-dns-name", "p.example.com")
    expect(changed).toEqual({
      result: { ...before, status: "Ready", privateDnsNames: ["p.example.com"] },
      audit: {
        audit: "endpoint.changed",
        changed: "status,privateDnsNames",
        organizationId: acme,
        serviceId: analytics,
        reversePrivateEndpointId: pendingEndpoint
      }
    })
    const emptied = yield* json(...update, "--endpoint-id=vpce-1", "--msk-cluster-arn", "", "--private-dns-name", "")
    const { mskClusterArn: _, ...rest } = { ...changed.result, privateDnsNames: [] }
    expect(emptied.result).toEqual({ ...rest, endpointId: "vpce-1" })

    expect((yield* json("organizations", "update", acme, "--name", "New")).result).toMatchObject({ name: "New" })
    expect((yield* json("services", "update", acme, analytics, "--name", "new")).result).toMatchObject({ name: "new" })
    const key = yield* json("keys", "update", acme, backupKey.id, "--expires", "2100-01-01T00:00:00+01:00")
    expect(key.result).toMatchObject({ name: "backup", expiresAt: "2099-12-31T23:00:00.000Z" })
    expect(key.audit).toMatchObject({ audit: "key.changed", changed: "expiresAt", expiresAt: key.result.expiresAt })
    const never = yield* json("keys", "update", acme, backupKey.id, "--expires", "never", "--name", "b")
    expect(never.result).toMatchObject({ name: "b", expiresAt: null })

    expect(yield* admin("keys", "delete", acme, backupKey.id)).toMatchObject({ code: 2 })
    const deleted = yield* json("keys", "delete", acme, backupKey.id, "--yes")
    expect(deleted).toEqual({
      result: { deleted: backupKey.id },
      audit: { audit: "key.deleted", organizationId: acme, keyId: backupKey.id }
    })
    yield* json("endpoints", "delete", acme, analytics, pendingEndpoint, "-y")
    expect((yield* json("endpoints", "list", acme, analytics)).result).toHaveLength(1)
  })

  it.live("rotates a key, whose successor works at once, and lives as long as it was to live", function* () {
    const { admin, file, json } = yield* seeded
    const created = yield* json("keys", "create", acme, "old", "--expires", "90d")
    const rotated = yield* admin("keys", "rotate", acme, created.result.id, "--overlap", "7d", "--format", "json")
    expect(rotated.code).toBe(0)
    const successor = JSON.parse(rotated.stdout)
    expect(successor).toEqual({ ...newKey, organizationId: acme, name: "old" })
    const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000
    expect(days(successor.createdAt, successor.expiresAt)).toBeCloseTo(90, 2)
    const keys: ReadonlyArray<{ id: string; expiresAt: string }> = (yield* json("keys", "list", acme)).result
    const until = keys.find(({ id }) => id === created.result.id)?.expiresAt ?? ""
    expect(days(successor.createdAt, until)).toBeCloseTo(7, 2)
    const stored = (yield* json("audit", "list")).result.slice(0, 2).toReversed()
    expect(stored).toMatchObject([
      { audit: "key.created", keyId: successor.id },
      { audit: "key.rotated", keyId: created.result.id, successorId: successor.id, expiresAt: until }
    ])
    expect(Child.documents(rotated.stderr).map(({ audit }) => audit)).toEqual(["key.created", "key.rotated"])
    expect(rotated.stderr).not.toContain(successor.secret)

    // what is left of its life is the overlap, and not what it was given
    expect(yield* admin("keys", "rotate", acme, created.result.id)).toMatchObject({
      code: 2,
      stderr: `error: the key ${created.result.id} was rotated already, and is replaced by ${successor.id}\n       Rotate that one, or pass the expiry of the new key with --expires.\n`
    })
    // its own expiry is earlier than the end of the overlap
    const again = ["keys", "rotate", acme, created.result.id, "--overlap", "30d", "--expires", "never"]
    expect((yield* admin(...again)).code).toBe(0)
    expect((yield* json("audit", "list")).result[0]).toMatchObject({ audit: "key.rotated", expiresAt: until })

    const { url } = yield* Child.serve("--database", file)
    for (const key of [created.result, successor]) {
      expect(yield* Invocation.run(["organizations", "list"], Server.client(url, key))).toMatchObject({ code: 0 })
    }
    const { stdout } = yield* admin("keys", "rotate", acme, backupKey.id)
    expect(stdout).toMatch(new RegExp(`Expires +never\n[^]*The key ${backupKey.id} stops working at 20.* or earlier`))
    for (const [key, code, message] of [
      [Fixtures.disabledKey.id, 2, /is disabled\n/],
      [Fixtures.expiredKey.id, 2, /expired at 20.*Z\n *Give it a later expiry first/],
      [Fixtures.globexKey.id, 5, /no key/]
    ] as const) {
      const { code: ended, stderr } = yield* admin("keys", "rotate", acme, key)
      expect(stderr).toMatch(message)
      expect(ended).toBe(code)
    }
  })

  it.live("fills a new database from a seed, and leaves one with content as it is", function* () {
    const { admin, folder, json } = yield* using(Seeded.make())
    const seed = ["seed", `${folder}/seed.json`]
    expect(yield* json(...seed)).toEqual({
      result: { organizations: 2, apiKeys: 10, services: 2, reversePrivateEndpoints: 3 },
      audit: { audit: "database.seeded", organizations: 2 }
    })
    expect(yield* admin(...seed)).toMatchObject({
      code: 6,
      stderr:
        "error: the database already has content, so nothing was changed\n" +
        "       Pass another database, or add to this one with the other commands of `cloud-management admin`.\n"
    })
    // which is a seed as well
    const exported = yield* json("export")
    expect(exported.audit).toEqual({ audit: "database.exported", organizations: 2 })
    writeFileSync(`${folder}/export.json`, JSON.stringify(exported.result))
    const copy = ["--database", `${folder}/copy.db`]
    yield* json("seed", `${folder}/export.json`, ...copy)
    expect((yield* json("export", ...copy)).result).toEqual(exported.result)
  })

  it.live("refuses what does not fit the content", function* () {
    const { admin } = yield* seeded
    const refused: ReadonlyArray<readonly [args: ReadonlyArray<string>, code: number, stderr: RegExp]> = [
      [["services", "list", unknown], 5, /no organization 0{8}.*\n.*admin organizations list/],
      [["services", "delete", acme, analytics, "--yes"], 6, /the service .* is not empty\n *Delete its endpoints/],
      [["organizations", "delete", acme, "--yes"], 6, /the organization .* is not empty\n *Delete its keys and serv/],
      [["keys", "disable", acme, unknown], 5, /no key 0{8}/],
      [["keys", "disable", globex, backupKey.id], 5, /no key/],
      [["keys", "create", globex, "x", "--id", backupKey.id], 6, /another key has the ID .*\n.*--id/],
      [["keys", "rotate", acme, backupKey.id, "--overlap", "999999999d"], 2, /ends after the year 9999\n.*shorter/]
    ]
    for (const [args, code, stderr] of refused) {
      expect(yield* admin(...args)).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(stderr) })
    }
  })
})
