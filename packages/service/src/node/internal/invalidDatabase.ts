import * as Data from "effect/Data"

/** A text that names no database that can be used; the message never quotes a URL, which can contain a password. */
export class InvalidDatabase extends Data.TaggedError("InvalidDatabase")<{ readonly message: string }> {}

export const pooler = {
  message:
    "the service needs sessions of its own: a pooler by transaction or statement (pgbouncer=true) is not supported; connect to the server itself, or set pool_mode = session"
}
