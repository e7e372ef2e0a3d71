/** The page of tasks, and the client over the same transport, so as to weigh the client alone. */
import "./tasks.ts"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { run } from "./operations.ts"

await run(FetchHttpClient.layer)
