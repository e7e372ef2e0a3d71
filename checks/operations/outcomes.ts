import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import assert from "node:assert/strict"
import { statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Child from "../fixtures/Child.ts"

/** A key as `cloud-management` prints it. */
interface Key {
  readonly id: string
  readonly secret: string
}

export interface Operator {
  readonly folder: string
  /** The folder that the document calls `/backups`. */
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

const printed =
  (name: string): Outcome["check"] =>
  ({ names }, ended) => {
    names.set(name, field("ID", ended))
  }

const works =
  (where: (operator: Operator) => string): Outcome["check"] =>
  (operator) =>
    expectStatuses(operator, [200, 200], where(operator))

/**
 * The outcomes of commands of docs/service/operations.md, beside their exit code: the tests of the command show what each
 * of them does.
 */
export const outcomes: Readonly<Record<string, Outcome>> = {
  // Content
  "cloud-management admin organizations create Acme": { check: printed("ORGANIZATION_ID") },
  "cloud-management admin services create ORGANIZATION_ID analytics": { check: printed("SERVICE_ID") },
  "cloud-management admin endpoints create ORGANIZATION_ID SERVICE_ID --type VPC_ENDPOINT_SERVICE": {
    check: printed("ENDPOINT_ID")
  },
  "cloud-management admin keys create ORGANIZATION_ID deploy --expires 90d": {
    check: (operator, ended) =>
      Effect.gen(function* () {
        const { admin, keys, names } = operator
        names.set("KEY_ID", field("ID", ended))
        keys.set("caller", { id: field("ID", ended), secret: field("Secret", ended) })
        const victim: Key = JSON.parse(yield* admin("keys", "create", known(operator, "ORGANIZATION_ID"), "victim"))
        keys.set("victim", victim)
      })
  },
  "cloud-management admin keys rotate ORGANIZATION_ID KEY_ID --overlap 7d": {
    check: (operator, ended) =>
      Effect.gen(function* () {
        yield* expectStatuses(operator, [200, 200])
        operator.keys.set("caller", { id: field("ID", ended), secret: field("Secret", ended) })
        writeFileSync(join(operator.folder, "secret.txt"), field("Secret", ended))
      })
  },
  "cloud-management admin seed content.json --database copy.db": {
    check: works((operator) => known(operator, "copy.db"))
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
  // the deleted key is back
  "install -m 600 /backups/cloud.db cloud.db": {
    check: (operator) => {
      expectPrivate(join(operator.folder, "cloud.db"))
      return expectStatuses(operator, [200, 200])
    }
  },

  // PostgreSQL
  'umask 077 && pg_dump --format=custom --file=/backups/cloud.dump "$CLOUD_MANAGEMENT_DATABASE"': {
    check: deleteVictim
  },
  "pg_restore --no-owner --no-privileges --exit-on-error --dbname=postgres://owner@…/cloud_restored /backups/cloud.dump":
    {
      check: (operator) => {
        const url = new URL(operator.database)
        url.pathname = "/cloud_restored"
        operator.database = url.href
        return expectStatuses(operator, [200, 200])
      }
    },

  // From one engine to another
  "CLOUD_MANAGEMENT_DATABASE=postgres://…/cloud cloud-management admin seed content.json": {
    check: works((operator) => known(operator, "postgres://…/cloud"))
  },

  // After a restore
  "cloud-management admin audit reapply audit.jsonl --database cloud.db": {
    check: (operator, { stdout }) => {
      assert.match(stdout, /^Read \d+ audit records, from .*\nDeleted 1, disabled 0, expiring earlier 0\./)
      return expectStatuses(operator, [200, 401])
    }
  },

  // Audit
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
      const record: { readonly audit: string; readonly keyId: string } = JSON.parse(stdout)
      assert.equal(record.audit, "authentication.failed")
      assert.equal(record.keyId, keyOf(operator, "victim").id)
    }
  }
}
