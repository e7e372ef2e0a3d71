import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { InvalidTransportOption } from "../TransportOptions.ts"

/** Fails if an option is invalid, and says what is wrong with it. */
export const check = (option: string, isValid: boolean, rule: string): Effect.Effect<void, InvalidTransportOption> =>
  isValid ? Effect.void : Effect.fail(new InvalidTransportOption({ option, message: `${option} ${rule}` }))

/** Fails for a value that is not an object, and for a name that is not an option. Programs without types pass anything. */
export const checkNames = (
  group: string,
  options: unknown,
  names: ReadonlyArray<string>
): Effect.Effect<void, InvalidTransportOption> => {
  if (typeof options !== "object" || options === null) return check(group, false, "must be an object")
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  const option = group === "options" ? `${unknown}` : `${group}.${unknown}`
  return check(option, unknown === undefined, `is not an option; the options are ${names.join(", ")}`)
}

/** The text of an option, empty if it was wiped. */
export const reveal = (given: string | Redacted.Redacted): string =>
  Redacted.isRedacted(given)
    ? Result.getOrElse(
        Result.try(() => Redacted.value(given)),
        () => ""
      )
    : given
