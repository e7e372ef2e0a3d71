import { Effect } from "effect"
import { Flag } from "effect/cli"
import * as Endpoint from "@cloud-management/core/ReversePrivateEndpoint"
import * as Failure from "../output/Failure.ts"
import { didYouMean, suggest } from "../help/suggest.ts"

export const values: Readonly<Record<"status" | "type" | "msk-authentication", ReadonlyArray<string>>> = {
  status: Endpoint.statuses,
  type: Endpoint.types,
  "msk-authentication": Endpoint.mskAuthentications
}

export const any = Flag.Boolean("any-status").pipe(
  Flag.withoutNegation,
  Flag.withDefault(false),
  Flag.withDescription("Accept a status or type that this command does not know")
)

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
