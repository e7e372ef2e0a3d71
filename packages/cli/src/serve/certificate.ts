import { DateTime, Duration, Effect, Option, Queue, Redacted, Result, Stream } from "effect"
import process from "node:process"
import * as Tls from "./tls.ts"

/** Before its expiry, a certificate gets a warning: for a sixth of its lifetime, which can be six days, and 14 days at most. */
const soonOf = ({ lifetime }: Tls.Pair) => Duration.min(Duration.days(14), Duration.times(lifetime, 1 / 6))

/** The whole days until a certificate expires; negative once it has expired. */
const daysLeft = (expiry: DateTime.Utc): Effect.Effect<number> =>
  Effect.map(DateTime.now, (now) => Math.floor(Duration.toDays(DateTime.distance(now, expiry))))

export const annotations = Effect.fnUntraced(function* (expiry: DateTime.Utc) {
  return { certificateExpires: DateTime.formatIso(expiry), certificateDays: yield* daysLeft(expiry) }
})

const warn = Effect.fnUntraced(function* (pair: Tls.Pair) {
  const { expiry, subject } = pair
  const days = yield* daysLeft(expiry)
  if (Duration.isGreaterThanOrEqualTo(DateTime.distance(yield* DateTime.now, expiry), soonOf(pair))) return
  const when = days < 0 ? "has expired" : `expires in ${days} ${days === 1 ? "day" : "days"}`
  yield* Effect.annotateLogs(Effect.logWarning(`${subject} ${when}: renew it`), yield* annotations(expiry))
})

export const hangups = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<void>()
  const listener = () => void Queue.offerUnsafe(queue, undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", listener)),
    () => Effect.sync(() => process.off("SIGHUP", listener))
  )
  return queue
})

export const explain = (hangups: Queue.Dequeue<void>) => {
  const why = Effect.logInfo("SIGHUP changes nothing: only a certificate is read again, and this service has none")
  return Effect.as(Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(hangups), why))), undefined)
}

const textOf = ({ cert, key }: Tls.Pair) => `${cert}\n${Redacted.value(key)}`

/**
 * Reads the files of a certificate again at each hangup and when they change. They may be written one after the other,
 * so a change takes effect when two reads in a row find the same content. A pair that cannot be used, or that clients would
 * refuse, is logged once, and the previous pair stays in use.
 */
export const watch = Effect.fnUntraced(function* (first: Tls.Pair, hangups: Queue.Dequeue<void>) {
  const files = yield* Effect.context<Effect.Services<ReturnType<typeof Tls.read>>>()
  // pipes are read at a hangup alone
  const interval = (yield* Tls.canBeWatched(first.paths)) ? Duration.seconds(5) : Duration.infinity
  let current = first
  let before: string | undefined
  let reported: string | undefined

  const next = Effect.gen(function* () {
    for (;;) {
      const isAsked = Option.isSome(yield* Effect.timeoutOption(Queue.take(hangups), interval))
      const read = yield* Effect.result(Effect.provide(Tls.read(first.paths), files))
      const found = Result.isSuccess(read) ? textOf(read.success) : read.failure.message
      const isSettled = isAsked || found === before
      before = found
      if (!isSettled) continue
      const objection = Result.isFailure(read)
        ? read.failure.message
        : Tls.objection(read.success, current, yield* DateTime.now)
      if (Result.isFailure(read) || objection !== undefined) {
        if (isAsked || reported !== found) {
          yield* Effect.logWarning(`the certificate was not renewed, so the previous one stays in use: ${objection}`)
        }
        reported = found
        continue
      }
      reported = undefined
      if (found === textOf(current)) {
        if (isAsked) yield* Effect.logInfo("the certificate has not changed")
        continue
      }
      current = read.success
      yield* Effect.annotateLogs(Effect.logInfo("the certificate was renewed"), yield* annotations(current.expiry))
      yield* warn(current)
      return current
    }
  })
  const remind = Effect.gen(function* () {
    yield* warn(current)
    const regular = Duration.min(Duration.days(1), soonOf(current))
    // the second in which it ends is its last
    const ended = Duration.sum(DateTime.distance(yield* DateTime.now, current.expiry), Duration.seconds(1))
    yield* Effect.sleep(Duration.isPositive(ended) ? Duration.min(regular, ended) : regular)
  })
  yield* Effect.forkScoped(Effect.forever(remind))

  return { tls: { cert: first.cert, key: first.key, renewals: Stream.fromEffectRepeat(next) }, inUse: () => current }
})
