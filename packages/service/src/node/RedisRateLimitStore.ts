import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import * as Redis from "effect/persistence/Redis"
import { Listener } from "../Event.ts"
import { rootCause } from "../internal/failure.ts"
import { memory, RateLimitStore, type Tally } from "../RateLimitStore.ts"

/**
 * A URL that does not name a usable Redis server; the message never quotes the URL, because it can contain a password.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidRateLimitStore extends Data.TaggedError("InvalidRateLimitStore")<{
  readonly message: string
}> {}

/** One step of the server, by its own clock: nodes whose clocks differ count alike. */
const script = Redis.script((key: string, millis: number) => [key, millis], {
  numberOfKeys: 1,
  lua: `
local count = redis.call("INCR", KEYS[1])
local endsIn = redis.call("PTTL", KEYS[1])
if endsIn < 0 then
  redis.call("PEXPIRE", KEYS[1], ARGV[1])
  endsIn = tonumber(ARGV[1])
end
return { count, math.max(1, endsIn) }
`
}).withReturnType<readonly [count: number, endsIn: number]>()

/** A connection that works, until something fails on it. */
interface Connection {
  readonly count: (key: string, millis: number) => Effect.Effect<Tally, Redis.RedisError>
  readonly lost: Deferred.Deferred<never, Redis.RedisError>
}

const driver = Effect.tryPromise({
  try: () => import("@effect/platform-node/NodeRedis"),
  catch: (error) =>
    Predicate.hasProperty(error, "code") && error.code === "ERR_MODULE_NOT_FOUND"
      ? new InvalidRateLimitStore({ message: "Redis requires two packages: npm install @effect/platform-node redis" })
      : new InvalidRateLimitStore({ message: `the Redis driver cannot be loaded: ${String(error)}` })
})

const connect = Effect.fnUntraced(function* (
  { layer, NodeRedis }: Effect.Success<typeof driver>,
  url: string,
  patience: Duration.Duration
): Effect.fn.Return<Connection, Redis.RedisError | InvalidRateLimitStore, Scope.Scope> {
  const millis = Duration.toMillis(patience)
  const client = layer({
    url,
    // of Redis Enterprise; they look the host up by name, which a unix:// URL does not have
    maintNotifications: "disabled",
    // silence is counted from the last ping, and together they take less than twice the patience
    pingInterval: millis / 4,
    socket: { connectTimeout: millis, socketTimeout: 1.5 * millis, reconnectStrategy: false }
  })
  const context = yield* Layer.build(client).pipe(
    // what the driver would log comes back as an error
    Effect.provideService(References.MinimumLogLevel, "None"),
    // it never ends a connection that is being made to a server that hangs, but gives it up by itself
    Effect.uninterruptible,
    // all that it throws, before it connects
    Effect.catchDefect(() => new InvalidRateLimitStore({ message: "not a redis://, rediss:// or unix:// URL" }))
  )
  const { client: connection } = Context.get(context, NodeRedis)
  // the driver's own end waits for answers, which may never come
  yield* Effect.addFinalizer(() => Effect.sync(() => connection.destroy()))
  const lost = Deferred.makeUnsafe<never, Redis.RedisError>()
  connection.once("error", (cause) => Deferred.doneUnsafe(lost, new Redis.RedisError({ cause })))

  const late = new Redis.RedisError({ cause: new Error(`no response within ${Duration.format(patience)}`) })
  const evaluate = Context.get(context, Redis.Redis).eval(script)
  const count: Connection["count"] = (key, millis) =>
    evaluate(key, millis).pipe(
      Effect.timeoutOrElse({ duration: patience, orElse: () => late }),
      Effect.map(([count, endsIn]) => ({ count, endsIn }))
    )
  // a server may be there and let nobody in, or nobody write
  yield* count("cloud-management:probe", 1)
  return { count, lost }
})

const make = Effect.fnUntraced(function* (url: string, input: Duration.Input) {
  const loaded = yield* driver
  const patience = Duration.fromInputUnsafe(input)
  const listener = yield* Listener
  const tried = yield* Deferred.make<void, InvalidRateLimitStore>()
  let connection: Connection | undefined
  let away = false

  const hold = Effect.gen(function* () {
    connection = yield* connect(loaded, url, patience)
    if (away) yield* Effect.logInfo("the rate limit store is available again")
    away = false
    yield* Deferred.succeed(tried, undefined)
    return yield* Deferred.await(connection.lost)
  }).pipe(
    Effect.scoped,
    Effect.catchTags({
      InvalidRateLimitStore: (error) => Deferred.fail(tried, error),
      RedisError: Effect.fnUntraced(function* ({ cause }) {
        connection = undefined
        listener?.({ _tag: "RateLimitStoreFailed" })
        if (!away)
          yield* Effect.logWarning(
            `the rate limit store is unavailable, so each node counts alone: ${rootCause(cause)}`
          )
        away = true
        yield* Deferred.succeed(tried, undefined)
      })
    })
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(hold, Effect.sleep(patience))))
  yield* Deferred.await(tried)

  return RateLimitStore.of({
    counter: (name, window, capacity) => {
      const alone = memory.counter(name, window, capacity)
      const millis = Math.ceil(Duration.toMillis(Duration.fromInputUnsafe(window)))
      return (subject) =>
        Effect.suspend(() => {
          const current = connection
          if (current === undefined) return alone(subject)
          return Effect.catch(current.count(`cloud-management:${name}:${millis}:${subject}`, millis), (error) => {
            Deferred.doneUnsafe(current.lost, error)
            return alone(subject)
          })
        })
    }
  })
})

/**
 * Counts in a Redis server, so that services on several machines share their limits.
 *
 * **Details**
 *
 * `url` is `redis://`, `rediss://` for TLS, or `unix://`, with user, password and database number:
 * `redis://user:password@host:6379/0`. It needs the packages `@effect/platform-node` and `redis`.
 *
 * While the server is unavailable or refuses this service, the service counts in its own memory, so each limit applies
 * per node. This begins when a response takes longer than `patience` (500 ms) or no connection can be opened; without
 * requests, it begins when the server has been silent for twice as long. It ends within about three times as long after
 * the server is back. The beginning and the end are logged once each.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  url: string,
  patience: Duration.Input = "500 millis"
): Layer.Layer<never, InvalidRateLimitStore> => Layer.effect(RateLimitStore, make(url, patience))
