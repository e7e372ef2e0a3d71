/** The work of a read, as each server of `checks/bench/requests.ts` does it. `node FILE DATABASE DRIVER` prints its port. */
import { createHash, randomUUID, timingSafeEqual } from "node:crypto"
import { DatabaseSync } from "node:sqlite"

export const path = "/v1/organizations/:organization/services/:service/pipesReversePrivateEndpoints/:endpoint"

const [, , database, driver] = process.argv

/** As `SqlStore` has it: the key and the endpoint, in one statement. */
const statement = `
  SELECT k.id AS key_id, k.organization_id AS key_organization_id, k.name, k.digest, k.state, k.expires_at,
    e.organization_id, e.service_id, e.id, e.description, e.type, e.status, e.dns_names, e.private_dns_names, e.details
  FROM (SELECT 1) AS one LEFT JOIN api_keys AS k ON k.id = $1
  LEFT JOIN reverse_private_endpoints AS e ON e.organization_id = $2 AND e.service_id = $3 AND e.id = $4`

const drivers = {
  sqlite: () => {
    const prepared = new DatabaseSync(database).prepare(statement.replaceAll(/\$\d/g, "?"))
    return (...values) => prepared.get(...values)
  },
  pg: async () => {
    const { default: pg } = await import("pg")
    const pool = new pg.Pool({ connectionString: database, max: 10 })
    return async (...values) => (await pool.query({ name: "read", text: statement, values })).rows[0]
  },
  // as `serve` has it
  "sql-pg": async () => {
    const [{ PgClient, layer }, Context, Effect, Layer, Redacted, Scope] = await Promise.all([
      import("@effect/sql-pg/PgClient"),
      import("effect/Context"),
      import("effect/Effect"),
      import("effect/Layer"),
      import("effect/Redacted"),
      import("effect/Scope")
    ])
    const pool = layer({ url: Redacted.make(database), maxConnections: 10, multiplex: true })
    const context = await Effect.runPromise(Layer.buildWithScope(pool, Scope.makeUnsafe()))
    const sql = Context.get(context, PgClient)
    return async (...values) => (await Effect.runPromise(sql.unsafe(statement, values)))[0]
  }
}

const read = await drivers[driver]()

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** No request of the load is refused: what `serve` would refuse, for whichever reason, is a mistake of the benchmark. */
const expect = (holds) => {
  if (!holds) throw new Error("the load is not what it should be")
}

const respond = (row, secret, [organization, ...ids]) => {
  const digest = createHash("sha256").update(secret).digest()
  expect(timingSafeEqual(digest, Buffer.from(row.digest ?? "0".repeat(64), "hex")) && row.key_id !== null)
  expect(row.state === "enabled" && (row.expires_at === null || Number(row.expires_at) > Date.now()))
  expect(row.key_organization_id === organization)
  expect([organization, ...ids].every((id) => uuid.test(id)) && row.id !== null)
  const requestId = randomUUID()
  const result = {
    id: row.id,
    serviceId: row.service_id,
    description: row.description,
    type: row.type,
    status: row.status,
    dnsNames: JSON.parse(row.dns_names),
    privateDnsNames: JSON.parse(row.private_dns_names),
    ...JSON.parse(row.details)
  }
  return {
    status: 200,
    body: { status: 200, requestId, result },
    headers: { "x-request-id": requestId, "cache-control": "no-store", "x-content-type-options": "nosniff" }
  }
}

/** `serve` looks at this before it knows whom it serves: the length of the target, repeated credentials, Host, framing. */
const isWellFormed = (header, target) =>
  target.length <= 2048 &&
  Number(header("content-length") ?? 0) <= 65_536 &&
  header("authorization")?.includes(",") !== true &&
  /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})+)(?::\d*)?$/i.test(header("host") ?? "") &&
  /^(?:chunked)?$/i.test(header("transfer-encoding") ?? "") &&
  /^(?:100-continue)?$/i.test(header("expect") ?? "")

const lowerCase = (id) => (uuid.test(id) ? id.toLowerCase() : id)

/** The response to a read; a promise only where the driver makes one. `header` gives a header of the request by its name. */
export const work = (header, target, ...path) => {
  expect(isWellFormed(header, target))
  const [, encoded = ""] = /^basic +(\S+) *$/i.exec(header("authorization") ?? "") ?? []
  const text = Buffer.from(encoded, "base64").toString()
  const colon = text.indexOf(":")
  const keyId = text.slice(0, colon).toLowerCase()
  expect(uuid.test(keyId))
  const ids = path.map(lowerCase)
  const row = read(keyId, ...ids)
  const secret = text.slice(colon + 1)
  return row instanceof Promise ? row.then((row) => respond(row, secret, ids)) : respond(row, secret, ids)
}

/** Says where the server listens. */
export const listening = (port) => console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
