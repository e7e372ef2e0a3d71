import { afterAll } from "@effect/vitest"
import * as PgClient from "@effect/sql-pg/PgClient"
import { PGlite } from "@electric-sql/pglite"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Duplex } from "node:stream"

/** PostgreSQL compiled to WebAssembly: one session, in this process. */
export class Pglite extends Context.Service<Pglite, PGlite>()("test/Pglite") {}

let started: Promise<PGlite> | undefined
afterAll(async () => (await started)?.close())

/** Starts it, once for all suites of a file of tests: that takes seconds and some hundred megabytes. */
export const layer = Layer.effect(
  Pglite,
  Effect.promise(() => (started ??= PGlite.create()))
)

const sslRequest = 80877103
const terminate = "X".charCodeAt(0)

/** The session as a connection: what is written to it are whole messages, as many as a chunk completes. */
const connection = (pglite: PGlite) => {
  let rest = Buffer.alloc(0)
  let started = false
  const duplex = new Duplex({
    read() {},
    write(chunk: Buffer, _, done) {
      rest = Buffer.concat([rest, chunk])
      let end = 0
      while (true) {
        // a type, which the first message lacks, and a length that does not count the type
        const type = started ? 1 : 0
        if (rest.length < end + type + 4) break
        const length = type + rest.readInt32BE(end + type)
        if (rest.length < end + length) break
        if (!started && rest.readInt32BE(end + 4) === sslRequest) {
          rest = rest.subarray(length)
          duplex.push("N")
          continue
        }
        started = true
        end += length
      }
      const messages = rest.subarray(0, end)
      rest = rest.subarray(end)
      if (messages[0] === terminate) duplex.push(null)
      if (messages.length === 0 || messages[0] === terminate) return done()
      pglite
        .runExclusive(() => pglite.execProtocolRaw(messages))
        .then((answer) => {
          duplex.push(Buffer.from(answer))
          done()
        }, done)
    }
  })
  return duplex
}

/** A client of the one session, over an empty database. */
export const client = Layer.unwrap(
  Effect.gen(function* () {
    const pglite = yield* Pglite
    yield* Effect.promise(() => pglite.exec("DISCARD ALL"))
    yield* Effect.promise(() => pglite.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public"))
    return PgClient.layer({
      stream: () => connection(pglite),
      username: "postgres",
      password: Redacted.make(""),
      maxConnections: 1,
      idleTimeout: "1 day"
    })
  })
)
