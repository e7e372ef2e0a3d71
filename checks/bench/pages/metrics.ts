/** A page with nothing but the client, which counts its metrics. */
import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as Metrics from "@cloud-management/client/Metrics"
import { run } from "./operations.ts"

await run(FetchTransport.layer, { metrics: Metrics.effect })
