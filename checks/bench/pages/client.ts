/** A page with nothing but the client. */
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import { run } from "./operations.ts"

await run(FetchTransport.layer)
