import { Config, Effect, Option } from "effect"

/** An environment variable; empty variables are treated as unset. */
export const variable = (name: string): Effect.Effect<Option.Option<string>> =>
  Effect.map(
    Effect.orDie(Config.option(Config.String(name))),
    Option.filter((value) => value !== "")
  )
