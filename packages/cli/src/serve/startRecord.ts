import { type DateTime, Duration, Effect, Option } from "effect"
import * as Database from "../database/database.ts"
import { version } from "../version.ts"
import * as Certificate from "./certificate.ts"
import type { Options } from "./flags.ts"

const kindOf = (database: string) => {
  if (database === ":memory:") return "memory"
  return Database.isUrl(database) ? "postgresql" : "sqlite"
}

/** The URL of a database is omitted, because it can contain a password. */
export const write = Effect.fnUntraced(function* (options: Options, url: string, expiry: DateTime.Utc | undefined) {
  const { headers, keepAlive, request, shutdown, silence, ...sizes } = options.limits
  yield* Effect.annotateLogs(Effect.logInfo("listening"), {
    version,
    url,
    database: kindOf(options.database),
    ...Option.match(options.rateLimit, {
      onNone: () => ({}),
      onSome: ({ limit, window }) => ({ rateLimit: `${limit}/${Duration.format(Duration.fromInputUnsafe(window))}` })
    }),
    limits: {
      headersTimeout: Duration.format(headers),
      requestTimeout: Duration.format(request),
      silenceTimeout: Duration.format(silence),
      keepAliveTimeout: Duration.format(keepAlive),
      shutdownTimeout: Duration.format(shutdown),
      ...sizes
    },
    trustedProxies: options.trustedProxies,
    corsOrigins: options.corsOrigins,
    tls: expiry !== undefined,
    ...(expiry !== undefined && (yield* Certificate.annotations(expiry))),
    docs: options.documentation,
    accessLog: options.accessLog
  })
})
