import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import assert from "node:assert/strict"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Child from "../fixtures/Child.ts"

/** What `cloud-management` prints of a key. */
interface Key {
  readonly id: string
  readonly secret: string
}

export interface Operator {
  readonly folder: string
  /** What the document calls `/backups` and the like. */
  readonly backups: string
  /** Values for what the document writes in capitals, such as `KEY_ID`. */
  readonly names: Map<string, string>
  readonly keys: Map<"caller" | "victim", Key>
  /** The value of `--database`, which a restore changes. */
  database: string
  /** The port that `serve` listens on by default. */
  readonly port: number
  /** Runs `cloud-management`, and gives what it prints. */
  readonly admin: (...args: ReadonlyArray<string>) => Effect.Effect<string>
}

export interface Outcome {
  readonly during?: (operator: Operator) => Effect.Effect<unknown>
  readonly check: (operator: Operator, ended: Child.Ended) => Effect.Effect<unknown> | void
}

const expectPrivate = (path: string) => assert.equal(statSync(path).mode & 0o777, 0o600)

const field = (name: string, { stdout }: Child.Ended) => {
  const [, value] = new RegExp(`^${name} +(.+)$`, "m").exec(stdout) ?? []
  assert.ok(value !== undefined, `no ${name} in: ${stdout}`)
  return value
}
const known = ({ names }: Operator, name: string) => names.get(name) ?? assert.fail(`${name} is not known yet`)
const keyOf = ({ keys }: Operator, name: "caller" | "victim") => keys.get(name) ?? assert.fail(`no ${name} yet`)

const send = (operator: Operator, url: string, key: "caller" | "victim", method = "GET", path = "/v1/organizations") =>
  Effect.promise(async () => {
    const { id, secret } = keyOf(operator, key)
    const headers = { authorization: `Basic ${Base64.encode(`${id}:${secret}`)}` }
    return (await fetch(url + path, { method, headers })).status
  })

const statuses = (operator: Operator, database = operator.database) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { url } = yield* Child.serve("--database", database)
      return [yield* send(operator, url, "caller"), yield* send(operator, url, "victim")]
    })
  )
const expectStatuses = (operator: Operator, expected: ReadonlyArray<number>, database?: string) =>
  Effect.map(statuses(operator, database), (found) => assert.deepEqual(found, expected))

const deleteVictim = (operator: Operator) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { url } = yield* Child.serve("--database", operator.database)
      const path = `/v1/organizations/${known(operator, "ORGANIZATION_ID")}/keys/${keyOf(operator, "victim").id}`
      assert.equal(yield* send(operator, url, "caller", "DELETE", path), 200)
      assert.equal(yield* send(operator, url, "victim"), 401)
    })
  )

const records = (text: string): ReadonlyArray<{ readonly audit: string; readonly keyId: string }> =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

const ended = (_: Operator, { stdout }: Child.Ended) => assert.equal(stdout, "")

/** The commands of docs/service/operations.md, each with its outcome. What else they are to do, the document says. */
export const outcomes: Readonly<Record<string, Outcome>> = {
  // Content
  "export CLOUD_MANAGEMENT_DATABASE=cloud.db": { check: ended },
  "cloud-management admin organizations create Acme": {
    check: ({ names }, ended) => {
      assert.equal(field("Name", ended), "Acme")
      names.set("ORGANIZATION_ID", field("ID", ended))
    }
  },
  "cloud-management admin keys create ORGANIZATION_ID deploy --expires 90d": {
    check: (operator, ended) =>
      Effect.gen(function* () {
        const { admin, keys, names } = operator
        names.set("KEY_ID", field("ID", ended))
        keys.set("caller", { id: field("ID", ended), secret: field("Secret", ended) })
        const victim: Key = JSON.parse(yield* admin("keys", "create", known(operator, "ORGANIZATION_ID"), "victim"))
        keys.set("victim", victim)
        yield* expectStatuses(operator, [200, 200])
      })
  },
  "cloud-management admin keys rotate ORGANIZATION_ID KEY_ID --overlap 7d": {
    check: (operator, ended) =>
      Effect.gen(function* () {
        yield* expectStatuses(operator, [200, 200])
        operator.keys.set("caller", { id: field("ID", ended), secret: field("Secret", ended) })
        writeFileSync(join(operator.folder, "secret.txt"), field("Secret", ended))
        yield* expectStatuses(operator, [200, 200])
      })
  },
  "cloud-management admin keys find secret.txt": {
    check: (operator, ended) => assert.match(ended.stdout, new RegExp(` ${keyOf(operator, "caller").id} `))
  },
  "cloud-management admin audit list --key KEY_ID": {
    check: (operator, { stdout }) => {
      const [, ...rows] = stdout.trimEnd().split("\n")
      assert.ok(rows.length >= 3)
      for (const row of rows) assert.match(row, new RegExp(` ${known(operator, "KEY_ID")} \\(deploy\\)$`))
    }
  },
  "cloud-management admin keys disable ORGANIZATION_ID KEY_ID": {
    check: (_, ended) => assert.equal(field("State", ended), "disabled")
  },
  "cloud-management admin keys list ORGANIZATION_ID": {
    check: (operator, { stdout }) => {
      for (const id of [known(operator, "KEY_ID"), keyOf(operator, "caller").id, keyOf(operator, "victim").id]) {
        assert.match(stdout, new RegExp(`^${id} `, "m"))
      }
    }
  },
  "cloud-management admin services create ORGANIZATION_ID analytics": {
    check: ({ names }, ended) => {
      names.set("SERVICE_ID", field("ID", ended))
    }
  },
  "cloud-management admin endpoints create ORGANIZATION_ID SERVICE_ID --type VPC_ENDPOINT_SERVICE": {
    check: ({ names }, ended) => {
      names.set("ENDPOINT_ID", field("ID", ended))
    }
  },
  "cloud-management admin endpoints update ORGANIZATION_ID SERVICE_ID ENDPOINT_ID --status Ready": {
    check: (_, ended) => assert.equal(field("Status", ended), "Ready")
  },
  "cloud-management admin export > content.json": {
    check: ({ folder, keys }) => {
      const text = readFileSync(join(folder, "content.json"), "utf8")
      assert.equal(JSON.parse(text).organizations.length, 1)
      for (const { secret } of keys.values()) assert.ok(!text.includes(secret))
    }
  },
  "cloud-management admin seed content.json --database copy.db": {
    check: (operator) => expectStatuses(operator, [200, 200], known(operator, "copy.db"))
  },
  "cloud-management admin audit list --since 24h": {
    check: (_, { stdout }) => assert.match(stdout, / key\.rotated /)
  },

  // SQLite
  [`umask 077 && sqlite3 cloud.db "VACUUM INTO '/backups/cloud.db'"`]: {
    check: (operator) => {
      const copy = join(operator.backups, "cloud.db")
      expectPrivate(copy)
      return expectStatuses(operator, [200, 200], copy)
    }
  },
  [`umask 077 && sqlite3 cloud.db ".backup /backups/cloud.db"`]: {
    check: (operator) =>
      Effect.andThen(expectStatuses(operator, [200, 200], join(operator.backups, "cloud.db")), deleteVictim(operator))
  },
  "cloud-management admin audit export > audit.jsonl": {
    check: (operator) => {
      const exported = records(readFileSync(join(operator.folder, "audit.jsonl"), "utf8"))
      const { id } = keyOf(operator, "victim")
      assert.ok(exported.some(({ audit, keyId }) => audit === "key.deleted" && keyId === id))
    }
  },
  "rm -f cloud.db cloud.db-wal cloud.db-shm": { check: ended },
  // the deleted key is back
  "install -m 600 /backups/cloud.db cloud.db": {
    check: (operator) => {
      expectPrivate(join(operator.folder, "cloud.db"))
      return expectStatuses(operator, [200, 200])
    }
  },

  // PostgreSQL
  'pg_dump --format=custom --file=/backups/cloud.dump "$CLOUD_MANAGEMENT_DATABASE"': { check: deleteVictim },
  "createdb --owner=owner --maintenance-db=postgres://postgres@…/postgres cloud_restored": { check: ended },
  "pg_restore --no-owner --no-privileges --exit-on-error --dbname=postgres://owner@…/cloud_restored /backups/cloud.dump":
    {
      check: (operator) => {
        const url = new URL(operator.database)
        url.pathname = "/cloud_restored"
        operator.database = url.href
        return expectStatuses(operator, [200, 200])
      }
    },
  "pg_basebackup --pgdata=/backups/base --checkpoint=fast --dbname=postgres://…/postgres": { check: ended },
  "cp -a /backups/base /restored": { check: ended },
  "touch /restored/recovery.signal": { check: ended },

  // From one engine to another
  "cloud-management admin export --database cloud.db > content.json": {
    check: ({ folder }) =>
      assert.equal(JSON.parse(readFileSync(join(folder, "content.json"), "utf8")).organizations.length, 1)
  },
  "CLOUD_MANAGEMENT_DATABASE=postgres://…/cloud cloud-management admin seed content.json": {
    check: (operator) => expectStatuses(operator, [200, 200], known(operator, "postgres://…/cloud"))
  },

  // After a restore
  "cloud-management admin audit reapply audit.jsonl --database cloud.db": {
    check: (operator, { stdout }) => {
      assert.match(stdout, /^Read \d+ audit records, from .*\nDeleted 1, disabled 0, expiring earlier 0\./)
      return expectStatuses(operator, [200, 401])
    }
  },

  // Audit
  "cloud-management admin audit list --name deploy": {
    check: (_, { stdout }) => assert.match(stdout, / key\.created .* \(deploy\)$/m)
  },
  "cloud-management admin audit prune --before 365d --yes": {
    check: (_, { stdout }) => assert.equal(stdout, "Deleted  0 audit records\n")
  },
  "cloud-management serve 2>&1 >/dev/null | jq --unbuffered -cR 'fromjson? | select(.audit)'": {
    during: (operator) =>
      Effect.promise(async () => {
        const url = `http://127.0.0.1:${operator.port}`
        while (!(await fetch(`${url}/health`).catch(() => undefined))?.ok) {
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
        await Effect.runPromise(send(operator, url, "victim"))
      }),
    check: (operator, { stdout }) => {
      const [record] = records(stdout)
      assert.equal(record?.audit, "authentication.failed")
      assert.equal(record?.keyId, keyOf(operator, "victim").id)
    }
  }
}
