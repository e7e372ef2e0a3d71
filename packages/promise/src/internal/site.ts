import * as Result from "effect/Result"
import { ClientError } from "../CallError.ts"

const located = new WeakSet<Error>()

/**
 * Gives an error of a call the stack of the program that made the call, which is that of `site`, an error that the
 * method makes first: fibers and sockets make the errors, and their stacks do not reach the program.
 */
export const locate = (error: Error, site: Error, operation: string): Error => {
  // the program can make the others; what it adds to errors (Error.prepareStackTrace) and freezes can throw
  Result.try(() => {
    const isOurs =
      error instanceof ClientError || (error instanceof TypeError && error.message.startsWith(`${operation}: `))
    // without the header, which only V8 writes, and the method itself
    const callers = String(site.stack).replace(/^(Error:? *\n)?.*\n?/, "")
    if (isOurs && callers !== "" && !located.has(error)) {
      located.add(error)
      error.stack = `${error.name}: ${error.message}\n${callers}`
    }
  })
  return error
}
