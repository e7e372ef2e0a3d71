import { Effect, Schedule } from "effect"
import * as Child from "../fixtures/Child.ts"

/** What ends a node: at once, or once the requests under way are answered. */
export type Signal = "SIGKILL" | "SIGTERM"

const launch = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const child = yield* Child.start(["serve", "--format", "json", ...args])
  const url = yield* Effect.raceFirst(
    // how it ended says the other
    Effect.catchCause(child.until("stdout", /^\{"url":"(.+)"\}\n$/), () => Effect.never),
    // 7: the database is away
    Effect.flatMap(child.end, ({ code, stderr }) => (code === 7 ? Effect.fail("away") : Effect.die(stderr)))
  )
  return { ...child, url: url[1] ?? "" }
})

/**
 * Starts a node on an address of its own (127.0.0.0/8), so that no connection of somebody else takes its port while it
 * is down. It believes what 127.0.0.1 says of the callers, and ends with the scope.
 */
export const make = Effect.fnUntraced(function* (host: string, ...args: ReadonlyArray<string>) {
  const crashes: Array<string> = []
  const serve = (port: string) =>
    Effect.tap(launch(["--host", host, "--port", port, "--trusted-proxy", "127.0.0.1", ...args]), ({ process }) =>
      Effect.sync(() =>
        process.once("exit", (code, signal) => crashes.push(`${host} ended by itself: ${signal ?? code}`))
      )
    )
  let child = yield* Effect.orDie(serve("0"))
  let isUp = true
  const { url } = child
  const { host: address, port } = new URL(url)
  return {
    /** `address:port` */
    address,
    url,
    /** Whether it has been started, and not been ended since. */
    isUp: () => isUp,
    crashes: crashes,
    /** Ends it, and waits until it is gone. */
    stop: (signal: Signal) =>
      Effect.suspend(() => {
        isUp = false
        child.process.removeAllListeners("exit").kill(signal)
        return child.end
      }),
    /** Starts it, again and again until it stays, and waits until it listens. */
    start: Effect.map(Effect.orDie(Effect.retry(serve(port), Schedule.spaced("100 millis"))), (started) => {
      child = started
      isUp = true
    })
  }
})
export type Node = Effect.Success<ReturnType<typeof make>>
