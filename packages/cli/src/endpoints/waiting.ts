import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { CloudManagement } from "@cloud-management/core/CloudManagement"
import type * as Operation from "@cloud-management/core/Operation"
import type { getReversePrivateEndpoint } from "@cloud-management/core/Operations"
import * as Waiting from "@cloud-management/core/Waiting"
import * as Connection from "../Connection.ts"
import * as Failure from "../Failure.ts"
import * as Foreign from "../foreign.ts"
import * as Format from "../Format.ts"
import * as Spinner from "../spinner.ts"

type Params = Operation.Params<typeof getReversePrivateEndpoint>

/** Waits until the endpoint has the status, and returns it; each status on the way is a line on stderr. */
export const until = Effect.fnUntraced(function* (
  params: Params,
  // what status there can be was checked where it was given
  {
    status,
    ...pace
  }: { readonly status?: string; readonly every?: Duration.Duration; readonly deadline?: Duration.Duration }
) {
  const { baseUrl, client } = yield* Connection.open({
    ...(yield* Connection.resolve),
    // with --wait, --timeout is for the waiting
    deadline: {}
  })
  const format = yield* Format.Format
  const now = Effect.clockWith((clock) => clock.currentTimeMillis)
  const start = yield* now
  const onChange = ({ status }: { readonly status?: string | undefined }) =>
    Effect.flatMap(now, (millis) => {
      const elapsed = Math.round((millis - start) / 1000)
      return Console.error(
        format === "json"
          ? Foreign.toJson({ progress: { status: status ?? null, elapsedSeconds: elapsed } })
          : `${elapsed === 0 ? "0s" : Duration.format(Duration.seconds(elapsed))}  ${Foreign.clean(status ?? "no status")}`
      )
    })
  return yield* Waiting.waitUntil(params, {
    ...pace,
    ...(status !== undefined && { status: Waiting.anyStatus(status) }),
    onChange
  }).pipe(
    Effect.provideService(CloudManagement, client),
    Spinner.during(`waiting for the status ${status ?? "Ready"}`),
    Effect.mapError((error) =>
      error._tag === "CloudError"
        ? Failure.fromCloudError(error, baseUrl)
        : new Failure.Failure({
            tag: error._tag === "StatusUnreachable" ? "Unreachable" : error._tag,
            message: error.message,
            ...(error._tag === "StatusUnreachable"
              ? { exit: "rejected" }
              : {
                  exit: "transient",
                  retryable: true,
                  advice:
                    error.cause === undefined
                      ? "Wait longer with --timeout, or wait for another status with --status."
                      : "Run the command without --wait to see what is wrong."
                })
          })
    )
  )
}, Effect.scoped)
