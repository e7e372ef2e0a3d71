import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** An environment variable; empty variables are treated as unset. */
export const variable = (name: string): Effect.Effect<Option.Option<string>> =>
  Effect.map(
    Effect.orDie(Config.option(Config.String(name))),
    Option.filter((value) => value !== "")
  )
