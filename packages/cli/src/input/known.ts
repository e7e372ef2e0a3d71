import { Effect } from "effect"
import * as Endpoint from "@cloud-management/core/ReversePrivateEndpoint"
import * as Failure from "../output/Failure.ts"
import * as Flags from "./flag.ts"
import { didYouMean, suggest } from "../help/suggest.ts"

export const values: Readonly<Record<"status" | "type" | "msk-authentication", ReadonlyArray<string>>> = {
  status: Endpoint.statuses,
  type: Endpoint.types,
  "msk-authentication": Endpoint.mskAuthentications
}

export const any = Flags.on("any-status", "Accept a status or type that this command does not know")

export const resolve = (name: "status" | "type", text: string, anyIsAccepted: boolean) => {
  if (anyIsAccepted) return Effect.succeed(text)
  const known = values[name]
  const meant = known.find((value) => value.toLowerCase() === text.toLowerCase())
  if (meant !== undefined) return Effect.succeed(meant)
  return Failure.usage(
    `--${name}: ${JSON.stringify(text)} is not a known ${name}`,
    [
      ...didYouMean(suggest(text, known)),
      `Known: ${known.join(", ")}.`,
      `If the service knows this ${name}, pass --any-status as well.`
    ].join("\n")
  )
}
