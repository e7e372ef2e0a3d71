/** Serves with the program of the README, and loads the driver that is not used by it. */
import { Database } from "@cloud-management/service/node"
import { Effect, Layer, Logger } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { execPath, env } from "node:process"

const program = spawn(execPath, ["serve.ts"], { env: { ...env, PORT: "0" }, stdio: ["ignore", "pipe", "inherit"] })
const [line] = await once(program.stdout.setEncoding("utf8"), "data")
const [url] = /http:\S+/.exec(line)
const ask = async (path) => (await fetch(`${url}${path}`)).status
const statuses = [await ask("/ready"), await ask("/v1/organizations")]
program.kill("SIGTERM")
await once(program, "close")

// a driver that loads finds no server on port 1; one that does not load fails otherwise
const driver = await Layer.build(Database.layer("postgres://service@127.0.0.1:1/cloud")).pipe(
  Effect.scoped,
  Effect.provide(Logger.layer([])),
  Effect.match({ onSuccess: () => "built", onFailure: ({ _tag }) => _tag }),
  Effect.runPromise
)
console.log([...statuses, driver].join(" "))
