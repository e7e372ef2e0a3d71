import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { InvalidTransportOption } from "../TransportOptions.ts"

/** Fails for a value that is not an object, and for a name that is not an option. Programs without types pass anything. */
export const checkNames = (
  group: string,
  options: unknown,
  names: ReadonlyArray<string>
): Effect.Effect<void, InvalidTransportOption> => {
  if (typeof options !== "object" || options === null) {
    return Effect.fail(new InvalidTransportOption({ option: group, message: `${group} must be an object` }))
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown === undefined) return Effect.void
  const option = group === "options" ? unknown : `${group}.${unknown}`
  const message = `${option} is not an option; the options are ${names.join(", ")}`
  return Effect.fail(new InvalidTransportOption({ option, message }))
}

/** The text of an option, empty if it was wiped. */
export const reveal = (given: string | Redacted.Redacted): string =>
  Redacted.isRedacted(given)
    ? Result.getOrElse(
        Result.try(() => Redacted.value(given)),
        () => ""
      )
    : given
