import { make } from "@cloud-management/client/Telemetry"
import { api } from "./Operations.ts"

/**
 * The names of this API's spans, attributes and metrics, which start with `cloud_management`.
 *
 * @category constants
 * @since 0.1.0
 */
export const { attributes, metrics, spans } = make(api.name)
