import { Duration, Effect } from "effect"
import { GlobalFlag } from "effect/cli"
import type { CallEvent } from "@cloud-management/client/Event"
import * as Flags from "../input/flag.ts"
import * as Failure from "../output/Failure.ts"
import type * as Format from "../output/Format.ts"

export const Verbose = GlobalFlag.Setting("verbose")({
  flag: Flags.on("verbose", "Report attempts, waits and request IDs on stderr")
})

/** Whether the command would otherwise be silent for so long that people wonder why. */
const isLong = (wait: Duration.Duration) => Duration.toMillis(wait) > 1000
const inSeconds = (duration: Duration.Duration) => Math.round(Duration.toMillis(duration)) / 1000
const outcome = (status: number | undefined, errorType: string | undefined) =>
  status === undefined ? (errorType ?? "no response") : `HTTP ${status}`

const describe = (event: CallEvent) => {
  switch (event._tag) {
    case "AttemptEnded": {
      const { errorType, method, path, seconds, status } = event
      return {
        text: `${method} ${path}: ${outcome(status, errorType)} after ${Failure.seconds(Duration.seconds(seconds))}`,
        fields: { method, path, status: status ?? null, errorType: errorType ?? null, seconds },
        long: false
      }
    }
    case "Retrying": {
      const { attempts, cause, reason, requestId, status, wait } = event
      const why = cause === "hint" ? "requested by the service" : "backoff"
      return {
        text: [
          `attempt ${attempts} failed: ${reason}${status === undefined ? "" : ` (HTTP ${status})`}`,
          ...(requestId === undefined ? [] : [`request ID ${requestId}`]),
          `waiting ${Failure.seconds(wait)} (${why}) before attempt ${attempts + 1}`
        ].join(", "),
        fields: {
          attempts,
          reason,
          status: status ?? null,
          requestId: requestId ?? null,
          cause,
          waitSeconds: inSeconds(wait)
        },
        long: isLong(wait)
      }
    }
    case "Paced":
      return {
        text: `waited ${Failure.seconds(event.wait)} to stay within the rate limit of the service`,
        fields: { waitSeconds: inSeconds(event.wait) },
        long: isLong(event.wait)
      }
    case "HintDeclined":
      return { text: "the service asks for a longer wait than this command allows", fields: {}, long: false }
    default:
      return undefined
  }
}

type Tell = Effect.Success<typeof Format.progress>

export const report = (tell: Tell, verbose: boolean) => (event: CallEvent) => {
  const line = describe(event)
  if (line === undefined || !(verbose || line.long)) return Effect.void
  return tell({ event: { tag: event._tag, ...line.fields } }, line.text)
}

export const succeeded = (tell: Tell, attempts: number, requestId: string | undefined) =>
  tell(
    { event: { tag: "Succeeded", attempts, requestId: requestId ?? null } },
    `succeeded on attempt ${attempts}, request ID ${requestId ?? "unknown"}`
  )
