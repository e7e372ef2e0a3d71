import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { ReversePrivateEndpointId, ServiceId } from "@cloud-management/core/ReversePrivateEndpoint"
import * as Commands from "../commands.ts"
import * as Connection from "../connection/Connection.ts"
import * as Failure from "../output/Failure.ts"
import * as Id from "../input/id.ts"
import * as Profile from "../profile/Profile.ts"

const flags = {
  serviceId: Id.flag("service-id", ServiceId, "Service that owns the endpoint; only for a service of your own"),
  reversePrivateEndpointId: Id.flag(
    "endpoint-id",
    ReversePrivateEndpointId,
    "Endpoint to read; only for a service of your own"
  )
}

export const command = Commands.make("demo", flags, function* ({ reversePrivateEndpointId, serviceId }) {
  const endpoint = Option.all({ serviceId, reversePrivateEndpointId })
  // the profile that stands for none is not asked for: a demonstration of one's own service is
  const own = Option.isSome(yield* Connection.baseUrl) || Option.isSome(yield* Profile.Selected)
  if (Option.isNone(endpoint) && (Option.isSome(serviceId) || Option.isSome(reversePrivateEndpointId))) {
    return yield* Failure.usage("--service-id and --endpoint-id must be used together", "Pass both, or neither.")
  }
  if (Option.isSome(endpoint) && !own) {
    return yield* Failure.usage(
      "--service-id and --endpoint-id need a service of your own",
      "Set CLOUD_MANAGEMENT_BASE_URL, CLOUD_MANAGEMENT_KEY_ID and CLOUD_MANAGEMENT_KEY_SECRET, or pass --profile NAME."
    )
  }
  const { local, remote } = yield* Effect.promise(() => import("./run.ts"))
  yield* own ? remote(endpoint) : local
}).pipe(
  Commands.examples(
    ["", "On a temporary local service, with sample data"],
    ["--profile staging", "On your service, read-only"]
  ),
  Command.withGlobalFlags(Connection.settings)
)
