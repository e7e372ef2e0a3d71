/** The page of tasks over the transport that it has, and the client over its own. */
import "./tasks.ts"
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import { run } from "./operations.ts"

await run(FetchTransport.layer)
