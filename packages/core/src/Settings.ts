import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Credentials from "@cloud-management/client/Credentials"

/** A client needs settings that the `ConfigProvider` does not have; empty settings count as missing. */
export class MissingSettings extends Data.TaggedError("MissingSettings")<{
  readonly message: string
  /** All of them, such as `CLOUD_MANAGEMENT_BASE_URL`. */
  readonly names: ReadonlyArray<string>
}> {
  constructor(props: { readonly names: ReadonlyArray<string> }) {
    const names = props.names.join(", ")
    const advice = "Set them in the environment, or provide a ConfigProvider that has them"
    super({ ...props, message: `missing settings: ${names}. ${advice}` })
  }
}

/**
 * Reads the base URL and the key from `CLOUD_MANAGEMENT_BASE_URL`, `CLOUD_MANAGEMENT_KEY_ID` and
 * `CLOUD_MANAGEMENT_KEY_SECRET` through the `ConfigProvider` (by default from the environment).
 *
 * **When to use**
 *
 * For a client of the API's operations together with your own. `CloudManagement.layerConfig` reads the settings itself.
 *
 * **Gotchas**
 *
 * The key is that of the Cloud Management API. A client of another service needs its own.
 *
 * **Example** (A client of the API and your own operations, from the environment)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Client from "@cloud-management/client/Client"
 * import { operations } from "@cloud-management/core/Operations"
 * import * as Settings from "@cloud-management/core/Settings"
 *
 * const api = { ...operations }
 *
 * const client = Effect.flatMap(Settings.read, (settings) => Client.make(api, settings))
 * ```
 */
export const read: Effect.Effect<
  { readonly baseUrl: string; readonly credentials: Credentials.Credentials },
  MissingSettings | Config.ConfigError
> = Effect.gen(function* () {
  const settings = {
    CLOUD_MANAGEMENT_BASE_URL: yield* Config.option(Config.String("CLOUD_MANAGEMENT_BASE_URL")),
    CLOUD_MANAGEMENT_KEY_ID: yield* Config.option(Config.String("CLOUD_MANAGEMENT_KEY_ID")),
    CLOUD_MANAGEMENT_KEY_SECRET: yield* Config.option(Config.Redacted("CLOUD_MANAGEMENT_KEY_SECRET"))
  }
  const found = Option.getOrUndefined(Option.all(settings))
  if (found === undefined) {
    const missing = Object.entries(settings).flatMap(([name, value]) => (value._tag === "None" ? [name] : []))
    return yield* new MissingSettings({ names: missing })
  }
  return {
    baseUrl: found.CLOUD_MANAGEMENT_BASE_URL,
    credentials: Credentials.make(found.CLOUD_MANAGEMENT_KEY_ID, found.CLOUD_MANAGEMENT_KEY_SECRET)
  }
})
