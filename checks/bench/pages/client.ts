import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import { run } from "./operations.ts"

await run(FetchTransport.layer)
