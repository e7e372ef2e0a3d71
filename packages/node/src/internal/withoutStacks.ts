/**
 * Runs a function whose errors get no stack. Nobody needs it, because it begins at the event that ended the request. Many
 * requests can end at once, and a stack, with its text, would cost as much as all else that is done for each.
 */
export const withoutStacks = <A>(run: () => A): A => {
  const limit = Error.stackTraceLimit
  // not an assignment, which throws where the program has frozen `Error`
  Reflect.set(Error, "stackTraceLimit", 0)
  try {
    return run()
  } finally {
    Reflect.set(Error, "stackTraceLimit", limit)
  }
}
