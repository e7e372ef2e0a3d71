import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import process from "node:process"
import * as Cli from "../Cli.ts"

// a reader that has seen enough, as in `… | head -1`, is no failure
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

Cli.program.pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
