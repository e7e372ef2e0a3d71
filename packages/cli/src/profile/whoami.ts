import { Duration, Effect } from "effect"
import { Command } from "effect/cli"
import { listOrganizations } from "@cloud-management/core/Operations"
import * as Commands from "../commands.ts"
import * as Connection from "../connection/Connection.ts"
import * as Format from "../output/Format.ts"

export const command = Commands.make("whoami", {}, function* () {
  const { baseUrl, keyId, keySecret } = yield* Connection.find
  const connection = yield* Connection.open({ baseUrl: baseUrl.value, keyId: keyId.value, keySecret: keySecret.value })
  const [elapsed, { requestId, value }] = yield* Effect.timed(Connection.exchange(connection, listOrganizations, {}))
  const roundTrip = Math.round(Duration.toMillis(elapsed))
  const [organization] = value.result
  yield* Format.printRecord(
    {
      organization: { id: organization.id, name: organization.name ?? null },
      keyId: keyId.value,
      baseUrl: baseUrl.value,
      roundTripMilliseconds: roundTrip,
      requestId: requestId ?? null,
      sources: { baseUrl: baseUrl.source, keyId: keyId.source, keySecret: keySecret.source }
    },
    [
      ["Organization", organization.name],
      ["Organization ID", organization.id],
      ["Service", `${baseUrl.value} (${baseUrl.source})`],
      ["Key ID", `${keyId.value} (${keyId.source})`],
      ["Key secret", `not shown (${keySecret.source})`],
      ["Round trip", `${roundTrip}ms`],
      ["Request ID", requestId]
    ]
  )
}).pipe(
  Commands.described(
    "Show the organization, the key, the service, the round trip, and where each setting comes from",
    "--profile staging"
  ),
  Command.withGlobalFlags(Connection.settings)
)
