export interface Window {
  /** In monotonic time. */
  readonly endsAt: number
  count: number
}

interface Link extends Window {
  readonly subject: string
  /** The window that began next. */
  next: Link | undefined
}

/**
 * Remembers at most `capacity` windows; beyond it the oldest is forgotten. Each window that begins forgets up to two that
 * are over, so it takes the same few steps however many there are. (A `Map` alone would not: after deletions its first
 * entry is behind the places of those that were deleted.) They are found to be over if they end in the order in which they
 * begin, and else a little later.
 */
export const make = (capacity: number) => {
  const windows = new Map<string, Link>()
  let oldest: Link | undefined
  let newest: Link | undefined
  let linked = 0

  const forgetOldest = () => {
    if (oldest === undefined) return
    if (windows.get(oldest.subject) === oldest) windows.delete(oldest.subject)
    oldest = oldest.next
    linked--
  }

  return {
    /** How many are remembered, those that are over but not yet forgotten among them. */
    size: () => linked,
    get: (subject: string, now: number): Window | undefined => {
      const window = windows.get(subject)
      return window !== undefined && window.endsAt > now ? window : undefined
    },
    /** Begins a window in place of the one that the subject had. */
    begin: (subject: string, now: number, endsAt: number): Window => {
      for (let i = 0; i < 2 && oldest !== undefined && oldest.endsAt <= now; i++) forgetOldest()
      if (linked >= capacity) forgetOldest()
      const window: Link = { subject, endsAt, count: 0, next: undefined }
      windows.set(subject, window)
      if (oldest === undefined || newest === undefined) oldest = window
      else newest.next = window
      newest = window
      linked++
      return window
    }
  }
}
