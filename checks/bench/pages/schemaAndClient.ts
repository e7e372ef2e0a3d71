/** The smallest page with a schema, and the client over the same transport, so as to weigh the client alone. */
import "./schema.ts"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { run } from "./operations.ts"

await run(FetchHttpClient.layer)
