/**
 * Pauses of threads: a second and more in which an event loop did not turn and did not compute either, as on a machine that
 * was suspended or is far too busy. What arrived before such a pause may be read after the time that it had. A service
 * that blocks its own event loop does not pause.
 */
export interface Pauses {
  readonly count: () => number
  /** Counts those of the thread that calls it. */
  readonly watch: () => void
}

/** All threads that have the same memory count together. */
export const make = (memory: SharedArrayBuffer): Pauses => {
  const counter = new Int32Array(memory)
  return {
    count: () => Atomics.load(counter, 0),
    watch: () => {
      let last = performance.now()
      let used = process.threadCpuUsage()
      setInterval(() => {
        const now = performance.now()
        const { system, user } = process.threadCpuUsage(used)
        const computed = (user + system) / 1000
        if (now - last - computed > 1000) Atomics.add(counter, 0, 1)
        last = now
        used = process.threadCpuUsage()
      }, 100).unref()
    }
  }
}

/** What {@link make} counts in. */
export const memory = (): SharedArrayBuffer => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
