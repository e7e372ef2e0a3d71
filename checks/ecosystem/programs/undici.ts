import { NodeTransport } from "@cloud-management/node"
import { Effect } from "effect"
import { program } from "./program.ts"

void Effect.runPromise(program.pipe(Effect.provide(NodeTransport.layer))).then(console.log)
