import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as Metrics from "@cloud-management/client/Metrics"
import { run } from "./operations.ts"

await run(FetchTransport.layer, { metrics: Metrics.effect })
