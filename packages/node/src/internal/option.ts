import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as OptionRules from "@cloud-management/client/OptionRules"
import { InvalidTransportOption } from "../TransportOptions.ts"

/** Fails if an option is invalid, and says what is wrong with it. */
export const check = (option: string, isValid: boolean, rule: string): Effect.Effect<void, InvalidTransportOption> =>
  isValid ? Effect.void : Effect.fail(new InvalidTransportOption({ option, message: `${option} ${rule}` }))

/** Fails for the first option of a group that is not what it has to be. Programs without types pass anything. */
export const checkAll = (
  group: string,
  options: object,
  kinds: OptionRules.Kinds
): Effect.Effect<void, InvalidTransportOption> =>
  Effect.forEach(
    Object.entries(OptionRules.options(options)),
    ([name, value]) => {
      const rule = OptionRules.ruleOf(kinds, name, value)
      return check(group + name, rule === undefined, `must be ${rule}`)
    },
    { discard: true }
  )

/** The text of an option, empty if it was wiped. */
export const reveal = (option: string | Redacted.Redacted): string =>
  Redacted.isRedacted(option)
    ? Result.getOrElse(
        Result.try(() => Redacted.value(option)),
        () => ""
      )
    : option
