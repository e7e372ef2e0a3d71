/** The page of tasks, and the client over the transport that this page has anyway. */
import "./tasks.ts"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { run } from "./operations.ts"

await run(FetchHttpClient.layer)
