import type * as VirtualTime from "@cloud-management/testing/VirtualTime"

/** Jumps between two turns of a host that only has to stay responsive. */
const jumps = 200

/** Lets promises of the host settle, and the page react. */
const makeTurn = () => {
  const { port1, port2 } = new MessageChannel()
  return {
    turn: () =>
      new Promise<void>((resolve) => {
        port1.onmessage = () => resolve()
        port2.postMessage(undefined)
      }),
    close: () => port1.close()
  }
}

/**
 * Runs until nothing is left to happen, or `isEnough` holds before a jump to a moment, in milliseconds; rejects when
 * `signal` aborts. Only where the program waits for `promises` as well, the host has its turn before each jump.
 *
 * It does what `TestClock` does for a program of thousands of fibers in a page: `TestClock` lets the browser in between any
 * two steps, with timers that a browser delays by 4 ms each.
 */
export const run = async (
  time: VirtualTime.VirtualTime,
  options: {
    readonly isEnough: (now: number) => boolean
    readonly signal: AbortSignal
    readonly promises: boolean
  }
): Promise<void> => {
  const host = makeTurn()
  try {
    for (let jump = 0; ; jump++) {
      time.runReady()
      if (options.promises || jump % jumps === 0) {
        await host.turn()
        options.signal.throwIfAborted()
        if (time.isReady()) continue
      }
      const next = time.next()
      if (next === Infinity || options.isEnough(next)) return
      time.fire()
    }
  } finally {
    host.close()
  }
}
