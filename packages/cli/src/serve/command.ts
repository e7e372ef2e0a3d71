import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Commands from "../commands.ts"
import * as Logging from "../output/Logging.ts"
import { flags } from "./flags.ts"

export const command = Commands.make("serve", flags, function* (options) {
  const { run } = yield* Effect.promise(() => import("./run.ts"))
  return yield* Effect.scoped(run(options))
}).pipe(
  Commands.described(
    "Run the service until it is interrupted. Each flag also has a variable, such as CLOUD_MANAGEMENT_PORT for --port",
    ["--database cloud.db --seed seed.json", "On 127.0.0.1:8080, with a database in a file"],
    ["--host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem", "For other machines, over TLS"]
  ),
  Command.withGlobalFlags([Logging.LogFormat])
)
