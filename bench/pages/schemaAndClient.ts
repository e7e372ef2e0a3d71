/** The smallest page with a schema, and the client over the transport that this page has anyway. */
import "./schema.ts"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { run } from "./operations.ts"

await run(FetchHttpClient.layer)
