import { FetchTransport } from "@cloud-management/browser"
import { Effect } from "effect"
import { program } from "./program.ts"

void Effect.runPromise(program.pipe(Effect.provide(FetchTransport.layer))).then(console.log)
