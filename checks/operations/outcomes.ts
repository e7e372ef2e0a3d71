import { Effect, Schedule } from "effect"
import assert from "node:assert/strict"
import { statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Child from "../fixtures/Child.ts"

export interface Operator {
  readonly folder: string
  /** The folder that the document calls `/backups`. */
  readonly backups: string
  /** Values for what the document writes in capitals, such as `KEY_ID`. */
  readonly names: Map<string, string>
  readonly keys: Map<"caller" | "victim", { readonly id: string; readonly secret: string }>
  /** The value of `--database`, which a restore changes. */
  database: string
  /** Of `serve`, where the document names no other. */
  readonly url: string
  readonly admin: (...args: ReadonlyArray<string>) => Effect.Effect<string, Child.ProcessFailed>
}

export type Outcome = (operator: Operator, ended: Child.Ended) => Effect.Effect<unknown, unknown> | void

const expectPrivate = (path: string) => assert.equal(statSync(path).mode & 0o777, 0o600)

const field = (name: string, { stdout }: Child.Ended) => {
  const [, value] = new RegExp(`^${name} +(.+)$`, "m").exec(stdout) ?? []
  return value ?? assert.fail(`no ${name} in: ${stdout}`)
}
const known = ({ names }: Operator, name: string) => names.get(name) ?? assert.fail(`${name} is not known yet`)
const keyOf = ({ keys }: Operator, name: "caller" | "victim") => keys.get(name) ?? assert.fail(`no ${name} yet`)

const send = (operator: Operator, url: string, key: "caller" | "victim", method = "GET", path = "/v1/organizations") =>
  Effect.promise(async () => {
    const { id, secret } = keyOf(operator, key)
    const headers = { authorization: `Basic ${btoa(`${id}:${secret}`)}` }
    return (await fetch(url + path, { method, headers })).status
  })

const expectStatuses = (operator: Operator, expected: ReadonlyArray<number>, database = operator.database) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { url } = yield* Child.serve("--database", database)
      assert.deepEqual([yield* send(operator, url, "caller"), yield* send(operator, url, "victim")], expected)
    })
  )

const deleteVictim = (operator: Operator) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { url } = yield* Child.serve("--database", operator.database)
      const path = `/v1/organizations/${known(operator, "ORGANIZATION_ID")}/keys/${keyOf(operator, "victim").id}`
      assert.equal(yield* send(operator, url, "caller", "DELETE", path), 200)
      assert.equal(yield* send(operator, url, "victim"), 401)
    })
  )

const names =
  (name: string): Outcome =>
  (operator, ended) =>
    void operator.names.set(name, field("ID", ended))

const works =
  (database: (operator: Operator) => string = ({ database }) => database): Outcome =>
  (operator) =>
    expectStatuses(operator, [200, 200], database(operator))

const watching = "cloud-management serve 2>&1 >/dev/null | jq --unbuffered -cR 'fromjson? | select(.audit)'"

/** Beside the exit codes: the tests of the command show what each of them does. */
export const outcomes: Readonly<Record<string, Outcome>> = {
  // Content
  "cloud-management admin organizations create Acme": names("ORGANIZATION_ID"),
  "cloud-management admin services create ORGANIZATION_ID analytics": names("SERVICE_ID"),
  "cloud-management admin endpoints create ORGANIZATION_ID SERVICE_ID --type VPC_ENDPOINT_SERVICE":
    names("ENDPOINT_ID"),
  "cloud-management admin keys create ORGANIZATION_ID deploy --expires 90d": (operator, ended) => {
    const { admin, keys, names } = operator
    names.set("KEY_ID", field("ID", ended))
    keys.set("caller", { id: field("ID", ended), secret: field("Secret", ended) })
    const create = admin("keys", "create", known(operator, "ORGANIZATION_ID"), "victim")
    return Effect.map(create, (text) => keys.set("victim", JSON.parse(text)))
  },
  "cloud-management admin keys rotate ORGANIZATION_ID KEY_ID --overlap 7d": (operator, ended) =>
    Effect.map(expectStatuses(operator, [200, 200]), () => {
      operator.keys.set("caller", { id: field("ID", ended), secret: field("Secret", ended) })
      writeFileSync(join(operator.folder, "secret.txt"), field("Secret", ended))
    }),
  "cloud-management admin seed content.json --database copy.db": works((operator) => known(operator, "copy.db")),

  // SQLite
  [`umask 077 && sqlite3 cloud.db "VACUUM INTO '/backups/cloud.db'"`]: works(({ backups }) => {
    expectPrivate(join(backups, "cloud.db"))
    return join(backups, "cloud.db")
  }),
  [`umask 077 && sqlite3 cloud.db ".backup /backups/cloud.db"`]: (operator) =>
    Effect.andThen(expectStatuses(operator, [200, 200], join(operator.backups, "cloud.db")), deleteVictim(operator)),
  // the deleted key is back
  "install -m 600 /backups/cloud.db cloud.db": works(({ database, folder }) => {
    expectPrivate(join(folder, "cloud.db"))
    return database
  }),

  // PostgreSQL
  'umask 077 && pg_dump --format=custom --file=/backups/cloud.dump "$CLOUD_MANAGEMENT_DATABASE"': deleteVictim,
  "pg_restore --no-owner --no-privileges --exit-on-error --dbname=postgres://owner@…/cloud_restored /backups/cloud.dump":
    works((operator) => {
      const url = new URL(operator.database)
      url.pathname = "/cloud_restored"
      return (operator.database = url.href)
    }),

  // From one engine to another
  "CLOUD_MANAGEMENT_DATABASE=postgres://…/cloud cloud-management admin seed content.json": works((operator) =>
    known(operator, "postgres://…/cloud")
  ),

  // After a restore
  "cloud-management admin audit reapply audit.jsonl --database cloud.db": (operator, { stdout }) => {
    assert.match(stdout, /^Read \d+ audit records, from .*\nDeleted 1, disabled 0, expiring earlier 0\./)
    return expectStatuses(operator, [200, 401])
  },

  // Audit
  [watching]: (operator, { stdout }) => {
    const record: { readonly audit: string; readonly keyId: string } = JSON.parse(stdout)
    assert.equal(record.audit, "authentication.failed")
    assert.equal(record.keyId, keyOf(operator, "victim").id)
  }
}

/** While a command runs, which is then interrupted. */
export const meanwhile: Readonly<Record<string, (operator: Operator) => Effect.Effect<unknown>>> = {
  [watching]: (operator) => {
    const { url } = operator
    const isUp = Effect.promise(async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok === true)
    return Effect.andThen(
      Effect.repeat(isUp, { until: (is) => is, schedule: Schedule.spaced("50 millis") }),
      send(operator, url, "victim")
    )
  }
}
