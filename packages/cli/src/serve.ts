import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { RateLimit } from "@cloud-management/service/RateLimit"
import * as Duration from "./duration.ts"
import { variable } from "./Environment.ts"
import * as Logging from "./Logging.ts"

const port = (text: string): Option.Option<number> =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Option.some(Number(text)) : Option.none()

/** `10/10s`: requests, and the window they fall in. */
const rateLimit = (text: string): Option.Option<RateLimit> => {
  const [, limit, window = ""] = /^([1-9]\d{0,8})\/(.+)$/.exec(text) ?? []
  return Option.map(Duration.parse(window), (window) => ({ limit: Number(limit), window }))
}

const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text

const flags = {
  host: Flag.String("host").pipe(
    Flag.filter(
      (host) => host !== "",
      () => "an address or a name of this machine"
    ),
    Flag.withDefault("127.0.0.1"),
    Flag.withDescription("Address to listen on; 0.0.0.0 for all [default: 127.0.0.1]")
  ),
  port: Flag.String("port").pipe(
    Flag.filterMap(port, () => "a port from 0 to 65535; 0 takes a free one"),
    Flag.withDefault(8080),
    Flag.withMetavar("number"),
    Flag.withDescription("Port to listen on; 0 takes a free one [default: 8080]")
  ),
  database: Flag.String("database").pipe(
    Flag.filter(
      (database) => database !== "",
      () => "the path of a SQLite file, :memory:, or a postgres:// URL"
    ),
    Flag.withDefault(
      Effect.map(
        variable("CLOUD_MANAGEMENT_DATABASE"),
        Option.getOrElse(() => ":memory:")
      )
    ),
    Flag.withMetavar("where"),
    Flag.withDescription(
      "A SQLite file, :memory:, or a postgres:// URL [default: :memory:] [env CLOUD_MANAGEMENT_DATABASE]"
    )
  ),
  seed: Flag.String("seed").pipe(
    Flag.optional,
    Flag.withMetavar("path"),
    Flag.withDescription("JSON file with the content of a new database")
  ),
  rateLimit: Flag.String("rate-limit").pipe(
    Flag.filterMap(rateLimit, () => "REQUESTS/WINDOW, as in 10/10s; units are ms, s, m, h, d"),
    Flag.optional,
    Flag.withMetavar("requests/window"),
    Flag.withDescription("How many requests a key may make, as in 10/10s [default: no limit]")
  ),
  corsOrigins: Flag.String("cors-origin").pipe(
    Flag.filter(isOrigin, () => "an origin, as in https://app.example.com"),
    Flag.atLeast(0),
    Flag.withMetavar("origin"),
    Flag.withDescription("Origin that browsers may call from; repeat it for more")
  )
}

/** `cloud-management serve` */
export const serve = Command.make(
  "serve",
  flags,
  Effect.fnUntraced(function* (options) {
    const { run } = yield* Effect.promise(() => import("./internal/serving.ts"))
    return yield* run(options)
  })
).pipe(Command.withDescription("Run the service until it is interrupted"), Command.withGlobalFlags([Logging.LogFormat]))

/** What the command line says about the service. */
export type Options = Command.Command.Config.Infer<typeof flags>
