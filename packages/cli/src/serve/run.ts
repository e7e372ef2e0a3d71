import { Console, type DateTime, Duration, Effect, Fiber, Layer, Option, Record, Scope, Stdio } from "effect"
import { SecureRandom } from "effect/crypto"
import "effect/schema/SchemaJITCompiler/enable"
import process from "node:process"
import { Audit, CloudService } from "@cloud-management/service"
import { HttpHost, TrustedProxies } from "@cloud-management/service/node"
import type { RateLimit } from "@cloud-management/service/RateLimitStore"
import { Store } from "@cloud-management/service/Store"
import * as Failure from "../output/Failure.ts"
import * as Format from "../output/Format.ts"
import * as Logging from "../output/Logging.ts"
import type { Options } from "./command.ts"
import * as Setting from "../input/setting.ts"
import * as Database from "../database/database.ts"
import { fill, readSeed } from "../database/seeding.ts"
import * as Authorities from "../process/authorities.ts"
import * as AccessLog from "./accessLog.ts"
import * as Certificate from "./certificate.ts"
import * as Listening from "./listening.ts"
import { version } from "../version.ts"
import * as Metrics from "./metrics.ts"
import * as Telemetry from "./telemetry.ts"
import * as Tls from "./tls.ts"

const prepare = Effect.fnUntraced(function* ({ database, seed: path }: Options) {
  const store = yield* Store
  const seed = Option.isSome(path) ? yield* readSeed("--seed", path.value) : { organizations: [] }
  const failure = Database.failureOfReading(database)
  // without --seed nothing is written: it only asks whether the store is empty
  const empty = yield* Option.isSome(path)
    ? Effect.mapError(fill(store, seed), Database.failureOf(database))
    : Effect.mapError(store.seed(seed), failure)
  yield* Effect.mapError(store.ping, failure)
  const args = yield* Stdio.Stdio.use(({ args }) => args)
  const warnings = [...Setting.unknown(process.env), ...Setting.exposed(args)]
  const isInMemory = database === ":memory:"
  if (isInMemory) {
    const advice = "pass the path of a file, or a postgres:// URL"
    warnings.push(`${Database.setting} is :memory:, so all content is lost when this process ends: ${advice}`)
  }
  if (!empty && Option.isSome(path)) warnings.push(`the database already has content, so ${path.value} was ignored`)
  if (empty && seed.organizations.length === 0) {
    const how = isInMemory ? "--seed" : "`cloud-management admin`, or with --seed"
    warnings.push(`the database is empty, so no key can sign in: fill it with ${how}`)
  }
  return warnings
})

/** A server or collector that does not respond must not delay the end of the process. */
const provideUpTo =
  <ROut, E, R>(layer: Layer.Layer<ROut, E, R>, limit: Duration.Duration) =>
  <A, E2, R2>(effect: Effect.Effect<A, E2, R2>) =>
    Effect.acquireUseRelease(
      Scope.make(),
      (scope) => Effect.flatMap(Layer.buildWithScope(layer, scope), (context) => Effect.provide(effect, context)),
      (scope, exit) =>
        Effect.forkDetach(Scope.close(scope, exit)).pipe(
          Effect.flatMap((closing) => Effect.timeoutOption(Effect.interruptible(Fiber.join(closing)), limit)),
          Effect.tap((ended) =>
            Option.isSome(ended)
              ? Effect.void
              : Effect.logWarning(`stopped after ${Duration.format(limit)} without waiting for the rest`)
          )
        )
    )

/** The URL of a database is omitted, because it can contain a password. */
const logStart = Effect.fnUntraced(function* (options: Options, url: string, expiry: DateTime.Utc | undefined) {
  const { database, rateLimit } = options
  const { maxHeaderSize, maxRequestsPerConnection, maxTargetLength, ...times } = options.limits
  const shown = ({ limit, window }: RateLimit) => `${limit}/${Duration.format(Duration.fromInputUnsafe(window))}`
  yield* Effect.annotateLogs(Effect.logInfo("listening"), {
    version,
    url,
    database: database === ":memory:" ? "memory" : Database.isUrl(database) ? "postgresql" : "sqlite",
    ...Record.getSomes({ rateLimit: Option.map(rateLimit, shown) }),
    limits: {
      ...Record.mapEntries(times, (time, name) => [`${name}Timeout`, Duration.format(time)]),
      maxHeaderSize,
      maxTargetLength,
      maxRequestsPerConnection
    },
    trustedProxies: options.trustedProxies,
    corsOrigins: options.corsOrigins,
    tls: expiry !== undefined,
    ...(expiry !== undefined && (yield* Certificate.annotations(expiry))),
    docs: options.documentation,
    accessLog: options.accessLog
  })
})

export const run = Effect.fnUntraced(function* (options: Options) {
  const { corsOrigins, database, documentation, host, port, rateLimit, trustedProxies } = options
  Authorities.trust(process.env)
  const files = yield* Tls.filesOf(options)
  const tls = files && (yield* Tls.read(files))
  const hangups = yield* Certificate.hangups
  const watch = tls === undefined ? Certificate.explain(hangups) : Certificate.watch(tls, hangups)
  const telemetry = yield* Telemetry.make
  const metrics = yield* Metrics.make(options, telemetry.hasMetrics)
  const service = CloudService.layer({
    audit: Audit.write,
    accessLog: options.accessLog ? AccessLog.write : undefined,
    rateLimit: Option.getOrUndefined(rateLimit),
    corsOrigins: corsOrigins.length === 0 ? undefined : corsOrigins,
    documentation
  })
  // requests get this much; the rest is for the database, and for the last of the telemetry, which takes 3 seconds at most
  const limits = { ...options.limits, shutdown: Duration.times(options.limits.shutdown, 0.6) }
  const proxies = trustedProxies.length === 0 ? undefined : Option.getOrUndefined(TrustedProxies.make(trustedProxies))
  const listening = Layer.unwrap(
    Effect.gen(function* () {
      const warnings = yield* prepare(options)
      const certificate = yield* watch
      if (certificate !== undefined) yield* Metrics.watchCertificate(certificate.inUse)
      return Layer.tap(HttpHost.layer({ host, port, tls: certificate?.tls, limits, trustedProxies: proxies }), () =>
        Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })
      )
    })
  ).pipe(
    Layer.provide(service),
    Layer.provide(Database.layerOfService(database)),
    Layer.provide(SecureRandom.layerWebCrypto),
    Layer.provideMerge(metrics),
    Layer.provideMerge(telemetry.layer)
  )
  return yield* Effect.gen(function* () {
    const { url } = yield* HttpHost.HttpHost
    yield* logStart(options, url, tls?.expiry)
    const metricsUrl = yield* Metrics.Page
    const format = yield* Format.Format
    yield* Console.log(
      format === "json"
        ? JSON.stringify({ url, metricsUrl })
        : `Listening on ${url}${metricsUrl === undefined ? "" : `, metrics on ${metricsUrl}`}`
    )
    return yield* Effect.onInterrupt(Effect.never, () => Effect.logInfo("stopping after the requests in progress"))
  }).pipe(
    provideUpTo(listening, options.limits.shutdown),
    Effect.catchTags({
      InvalidTls: ({ message }) => Effect.fail(Failure.usage(`--tls-cert, --tls-key: ${message}`)),
      ListenFailed: (error) => Effect.fail(Listening.failure("port", error))
    })
  )
}, Logging.within)
