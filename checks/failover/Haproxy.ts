import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import * as Child from "../fixtures/Child.ts"
import * as Program from "../fixtures/Program.ts"
import * as ServerProcess from "../fixtures/ServerProcess.ts"

/** A PostgreSQL server on an address, and its Patroni. */
export interface Server {
  readonly host: string
  readonly postgres: number
  readonly rest: number
}

const launch = Effect.fnUntraced(function* (one: Server, two: Server) {
  const host = "127.0.0.23"
  const port = yield* ServerProcess.freePortOf(host)
  const configuration = `${yield* Child.folder()}/haproxy.cfg`
  writeFileSync(
    configuration,
    readFileSync("examples/deploy/haproxy-postgresql.cfg", "utf8")
      .replace("127.0.0.1:5432", `${host}:${port}`)
      .replace("10.0.0.21:5432 check port 8008", `${one.host}:${one.postgres} check port ${one.rest}`)
      .replace("10.0.0.22:5432 check port 8008", `${two.host}:${two.postgres} check port ${two.rest}`)
  )
  yield* Effect.acquireRelease(
    ServerProcess.start(
      () => spawn(Program.find("haproxy") ?? "", ["-W", "-db", "-f", configuration]),
      "stderr",
      "Loading success"
    ),
    (child) => ServerProcess.end(child, "SIGTERM")
  )
  return { host, port }
})

/** Starts it in front of two servers, with the documented configuration; it ends with the scope. */
export const start = (one: Server, two: Server) => Effect.retry(launch(one, two), { times: 3 })
