import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/client/Credentials"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const id = "a0000000-0000-4000-8000-000000000001"
const params = { organizationId: id, serviceId: id, reversePrivateEndpointId: id }

/** One call over a transport. */
export const call = (transport) =>
  CloudManagement.CloudManagement.pipe(
    Effect.flatMap((cloud) => cloud.reversePrivateEndpoints.get(params)),
    Effect.provide(
      CloudManagement.layer({ baseUrl: process.env.BASE_URL, credentials: Credentials.make(id, "secret") }).pipe(
        Layer.provide(transport)
      )
    ),
    // the program ends without waiting for idle connections to be closed
    Effect.tap(() => Effect.sync(() => process.exit())),
    Effect.runPromise
  )
