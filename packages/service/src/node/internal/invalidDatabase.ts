import * as Data from "effect/Data"

/**
 * What names no database that can be used; the message never quotes a URL, which can hold a password.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidDatabase extends Data.TaggedError("InvalidDatabase")<{
  readonly message: string
}> {}
