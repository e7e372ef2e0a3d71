import { make, metricsOf } from "@cloud-management/client/Telemetry"
import { api } from "./Operations.ts"

/** The names of this API's spans and attributes, which start with `cloud_management`. */
export const { attributes, spans } = make(api.name)

/** The metrics of this API, by their labels. */
export const metrics = metricsOf(api.name)
