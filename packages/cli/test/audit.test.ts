import { Child, describe, exits, expect, it } from "../../../checks/fixtures/index.ts"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { gzipSync } from "node:zlib"
import { Fixtures } from "@cloud-management/testing"
import * as Invocation from "./Invocation.ts"
import * as Seeded from "./Seeded.ts"

const { acme, backupKey, deployKey, disabledKey } = Fixtures

/** Deletes a key over the API, signed by another. */
const remove = (url: string, keyId: string, id: string, secret: string) =>
  Effect.promise(async () => {
    const headers = { authorization: `Basic ${btoa(`${id}:${secret}`)}` }
    const response = await fetch(`${url}/v1/organizations/${acme}/keys/${keyId}`, { method: "DELETE", headers })
    expect(response.status).toBe(200)
    return response.headers.get("x-request-id")
  })

const execute = (file: string, statements: string) => {
  const database = new DatabaseSync(file)
  database.exec(statements)
  const tables = database.prepare("SELECT sql FROM sqlite_schema ORDER BY name").all()
  database.close()
  return tables
}

const operator = expect.stringMatching(/^operator:./)

describe("admin audit", () => {
  it.live("lists the acts of operators and of the API, by the moment, by the key and by the name", function* () {
    const { admin, file, result } = yield* Seeded.seeded()
    yield* result("keys", "disable", acme, disabledKey.id)
    const { url } = yield* Child.serve("--database", file)
    const requestId = yield* remove(url, backupKey.id, deployKey.id, deployKey.secret)
    const listed = yield* result("audit", "list")
    const records = listed.toReversed()
    const expected = [
      { audit: "database.seeded", actor: operator, organizations: 2 },
      { audit: "key.disabled", actor: operator, organizationId: acme, keyId: disabledKey.id, name: "disabled" },
      {
        audit: "key.deleted",
        actor: `key:${deployKey.id}`,
        organizationId: acme,
        keyId: backupKey.id,
        name: "backup",
        requestId,
        address: "127.0.0.1"
      }
    ]
    const usual = { id: expect.any(Number), time: expect.stringMatching(/Z$/), outcome: "success" }
    expect(records).toEqual(expected.map((record) => ({ ...usual, ...record })))
    expect(yield* result("audit", "list", "--key", backupKey.id.toUpperCase())).toEqual(records.slice(2))
    expect(yield* result("audit", "list", "--key", deployKey.id)).toEqual(records.slice(2))
    expect(yield* result("audit", "list", "--name", "backup")).toEqual(records.slice(2))
    expect(yield* result("audit", "list", "--since", records[1].time)).toEqual(listed.slice(0, 2))
    const { stdout: since } = yield* admin("audit", "list", "--since", "2026-01-31 12:00 Europe/Berlin")
    expect(since).toMatch(/\nSince 2026-01-31T11:00:00\.000Z\.\n$/)
    expect(yield* result("audit", "list", "--since", "1h")).toEqual(listed)
    writeFileSync(`${file}.secret`, `${deployKey.secret}\n`)
    const found = yield* result("keys", "find", `${file}.secret`)
    // it was used just now, and that is known
    expect(found).toMatchObject([{ id: deployKey.id, lastUsedAt: expect.stringMatching(/:00:00\.000Z$/) }])
    const find = (text: string) => {
      writeFileSync(`${file}.secret`, text)
      return admin("keys", "find", `${file}.secret`)
    }
    const none = { code: 5, stderr: expect.stringMatching(/^error: no key has this secret\n/) }
    expect(yield* find("cmk_other\n")).toMatchObject(none)
    // a line of a log is not a secret that no key has
    for (const text of [`secret: ${deployKey.secret}`, "SECRET=cmk_other", "cmk_a\ncmk_b"]) {
      const more = { code: 2, stderr: expect.stringContaining("more than a secret\n       Pass the secret alone, ") }
      expect(yield* find(text)).toMatchObject(more)
    }
    const newest = yield* admin("audit", "list", "--limit", "2", "--format", "json")
    expect(JSON.parse(newest.stdout)).toEqual(listed.slice(0, 2))
    const message = expect.stringMatching(/^only the newest 2 records are shown/)
    expect(JSON.parse(newest.stderr)).toEqual({ warning: { tag: "MoreRecords", message } })
    expect(yield* admin("audit", "list", "--limit", "3")).toMatchObject({ code: 0, stderr: "" })
    expect(yield* result("audit", "list", "--since", "2100-01-01")).toEqual([])
    const { stdout } = yield* admin("audit", "list")
    expect(stdout).toMatch(
      /^Time +Record +Actor +Address +Subject\n20.+Z {2}key\.deleted +key:\S+ {2}127\.0\.0\.1 +\S+ \(backup\)\n.*\n.*database\.seeded/
    )
    expect(stdout).toContain(backupKey.id)
  })

  it.live("exports a JSON document a line, which the log of the same acts equals", function* () {
    const { admin, result } = yield* Seeded.seeded()
    const { stderr } = yield* admin("keys", "update", acme, backupKey.id, "--expires", "2100-01-01")
    const exported = Child.documents((yield* admin("audit", "export")).stdout)
    expect(exported).toEqual((yield* result("audit", "list")).toReversed())
    // the name of what was acted on is read in the database, by the act
    const { id: _id, name, time: _, ...stored } = exported[1]
    expect(name).toBe("backup")
    const { level, message, time: __, ...logged } = JSON.parse(stderr)
    expect([level, message]).toEqual(["INFO", "key.changed"])
    expect(logged).toEqual(stored)
    expect(stored).toMatchObject({ changed: "expiresAt", expiresAt: "2100-01-01T00:00:00.000Z" })
  })

  it.live("exports no faster than its reader takes it, page by page", function* () {
    const { file } = yield* Seeded.seeded()
    execute(
      file,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO audit_records (time, event, key_id, fields)
      SELECT 1790000000000 + i, 'key.deleted', '${backupKey.id}', '{"outcome":"success"}' FROM n`
    )
    // a reader that takes a text a turn, and then says how much waited for it
    const slow = `const{stdout,stderr}=process;let most=0;stdout._writev=null;
      stdout._write=(_,__,done)=>{most=Math.max(most,stdout.writableLength);setImmediate(done)};
      process.on('exit',()=>stderr.write(String(most)))`
    const { code, stderr } = yield* Child.run(["admin", "audit", "export", "--database", file], {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(slow)}`
    })
    expect(code).toBe(0)
    // a record has 134 bytes, and a page 1,000 of them
    expect(Number(stderr)).toBeGreaterThan(100_000)
    expect(Number(stderr)).toBeLessThan(200_000)
  })

  it.live("records an export of the content before it is printed", function* () {
    const { admin, file, result } = yield* Seeded.seeded()
    yield* result("export")
    expect((yield* result("audit", "list")).map(({ audit }: { audit: string }) => audit)).toEqual([
      "database.exported",
      "database.seeded"
    ])
    execute(file, "CREATE TRIGGER no BEFORE INSERT ON audit_records BEGIN SELECT RAISE(ABORT, 'no'); END")
    expect(yield* admin("export")).toMatchObject({ code: 2, stdout: "" })
  })

  it.live("prunes old records, once that is confirmed, and records it", function* () {
    const { admin, result } = yield* Seeded.seeded()
    yield* result("keys", "disable", acme, backupKey.id)
    const [second] = yield* result("audit", "list")
    expect(yield* admin("audit", "prune", "--before", second.time)).toMatchObject({ code: 2 })
    expect(yield* admin("audit", "prune", "--before", "2100-01-01", "--yes")).toMatchObject(
      exits(2, /--before: 2100-01-01T00:00:00\.000Z is in the future/)
    )
    expect(yield* result("audit", "list")).toHaveLength(2)
    expect(yield* admin("audit", "prune", "--before", "999999999d", "--yes")).toMatchObject(
      exits(2, /--before: "999999999d"\. Expected: .*a duration before now/)
    )
    expect(yield* result("audit", "prune", "--before", second.time, "--yes")).toEqual({ deleted: 1 })
    expect(yield* result("audit", "list")).toMatchObject([
      { audit: "audit.pruned", before: second.time, actor: operator },
      second
    ])
  })
})

describe("admin audit reapply", () => {
  it.live("revokes by the log what was revoked since a backup, and once is enough", function* () {
    const keys = ["enable", "expire", "rename", "use"].map((name, n) => ({
      id: `b0000000-0000-4000-8000-00000000000${n}`,
      name,
      secret: `secret-of-${name}`
    }))
    const [enabled, expiring, renamed, user] = keys.map(({ id }) => id)
    const organizations = [
      {
        id: acme,
        name: "Acme",
        apiKeys: [...keys, backupKey, disabledKey, deployKey].map((key) => ({ ...key, name: "x", state: "enabled" }))
      }
    ]
    const { admin, file, folder, result } = yield* Seeded.seeded({ organizations })
    execute(file, `VACUUM INTO '${folder}/backup.db'`)

    const acts = [
      ["delete", backupKey.id, "--yes"],
      ["disable", disabledKey.id],
      ["disable", `${enabled}`],
      ["enable", `${enabled}`],
      ["update", `${expiring}`, "--expires", "2100-01-01"],
      ["update", `${renamed}`, "--name", "renamed"]
    ]
    const logs = yield* Effect.forEach(acts, ([act = "", ...rest]) => admin("keys", act, acme, ...rest))
    const made = yield* admin("keys", "create", acme, "made since", "--format", "json")
    const { stop, url } = yield* Child.serve("--database", file)
    yield* remove(url, deployKey.id, `${user}`, "secret-of-use")
    writeFileSync(`${folder}/log`, [...logs, made, yield* stop].map(({ stderr }) => stderr).join(""))

    const reapply = result("audit", "reapply", `${folder}/log`, "--database", `${folder}/backup.db`)
    const missing = [JSON.parse(made.stdout).id]
    expect(yield* reapply).toMatchObject({
      read: 8,
      deleted: [backupKey.id, deployKey.id],
      disabled: [disabledKey.id],
      expiring: [expiring],
      missing
    })
    const again = ["audit", "list", "--limit", "1", "--database", `${folder}/backup.db`]
    expect(yield* result(...again)).toMatchObject([{ reason: "reapplied" }])
    expect(yield* reapply).toMatchObject({ deleted: [], disabled: [], expiring: [], missing })
  })

  it.live("says how many records it read, from and to when, and warns if the lines have another order", function* () {
    const { admin, folder } = yield* Seeded.seeded()
    const keyId = backupKey.id
    const records = [
      { time: "2026-01-02T00:00:00Z", audit: "key.enabled", keyId, actor: "operator:é" },
      { time: "2026-01-01T00:00:00Z", audit: "key.disabled", keyId }
    ]
    writeFileSync(`${folder}/log`, `\ufeff${records.map((record) => JSON.stringify(record)).join("\r\n")}`)
    expect(yield* admin("audit", "reapply", `${folder}/log`)).toEqual({
      code: 0,
      stdout:
        "Read 2 audit records, from 2026-01-01T00:00:00.000Z to 2026-01-02T00:00:00.000Z.\nDeleted 0, disabled 0, expiring earlier 0.\n",
      stderr: `warning: the times of the records decide, although the lines have another order: check the keys ${keyId}\n`
    })
  })

  it.live("refuses a file of another kind or encoding, or with a broken record, as a whole", function* () {
    const { admin, folder, result } = yield* Seeded.seeded()
    const record = JSON.stringify({ time: "2100-01-01T00:00:00Z", audit: "key.deleted", keyId: backupKey.id })
    const broken = (line: string, why: string) =>
      [`Listening\n${record}\n{"level":"INFO"}\n${line}\n`, `: line 4 is not an audit record: [^]*${why}`] as const
    const [none, binary] = ["contains no audit records", "is not UTF-8 text"].map(
      (problem) => ` ${problem}\n.*Pass the output of \`admin audit export\``
    )
    const contents: ReadonlyArray<readonly [content: string | Uint8Array, message: string | undefined]> = [
      ["", none],
      ["\n\n", none],
      [JSON.stringify({ organizations: [] }, null, 2), none],
      [Buffer.from(`\ufeff${record}\n`, "utf16le"), binary],
      [Buffer.from(`${record}\n`, "utf16le"), binary],
      [gzipSync(record), binary],
      // a last character that was cut off
      [Buffer.from(`${record}\né`).subarray(0, -1), binary],
      broken('{"time":"2026-01-01T00:00:00.000Z","level":"INFO","audit":"key.del', "not a complete line of JSON"),
      broken('{"time":"yesterday","audit":"key.deleted"}', "time"),
      broken(JSON.stringify({ log: `${record}\n`, stream: "stderr" }), "a record inside other JSON"),
      broken(JSON.stringify({ MESSAGE: JSON.stringify({ log: record }) }), "a record inside other JSON"),
      broken(`{"jsonPayload":${record}}`, "a record inside other JSON"),
      broken(`serve-1  | ${record}`, "not a complete line of JSON")
    ]
    for (const [content, message] of contents) {
      writeFileSync(`${folder}/log`, content)
      const refusal = new RegExp(`^error: argument <FILE>: .*log${message}`)
      expect(yield* admin("audit", "reapply", `${folder}/log`)).toMatchObject(exits(2, refusal))
    }
    expect(yield* result("audit", "list")).toHaveLength(1)
  })
})

it.live("an admin command that reads makes no tables, and does not upgrade any", function* () {
  const file = `${yield* Child.folder()}/foreign.db`
  for (const [statements, message] of [
    [
      "CREATE TABLE effect_sql_migrations (migration_id integer); INSERT INTO effect_sql_migrations VALUES (9)",
      /the database has no tables of the service\n +Check the database,/
    ],
    [
      "CREATE TABLE cloud_management_migrations (version integer); INSERT INTO cloud_management_migrations VALUES (1000)",
      /have version 1000, but this program supports version \d+\n +Use the version of cloud-management that /
    ]
  ] as const) {
    const before = execute(file, statements)
    const lists = ["organizations list", `services list ${acme}`, `keys list ${acme}`, "audit list"]
    for (const line of [...lists, "export", "audit export"]) {
      const ended = yield* Invocation.run(["admin", ...line.split(" "), "--database", file])
      expect(ended).toMatchObject(exits(2, message))
    }
    expect(execute(file, "")).toEqual(before)
  }
})
