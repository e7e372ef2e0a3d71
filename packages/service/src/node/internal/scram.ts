import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

const isAscii = (text: string) => Array.from(text).every((character) => character <= "\u007f")

/** With tables that few need, and only they load: from a module of ours, which names the file that the command has of it. */
const prepare = (password: string) =>
  isAscii(password)
    ? Effect.succeed(password)
    : Effect.map(
        Effect.promise(() => import("./saslprep.ts")),
        ({ saslprep }) => saslprep(password)
      )

/** Only SCRAM takes it prepared, and the driver does not say how the server asks: both ways are tried. */
export const passwordOf = (config: PgConnection.Config): Effect.Effect<Redacted.Redacted> => {
  const { password = Redacted.make("") } = config
  let accepted: { readonly plain: string; readonly password: string } | undefined
  return Effect.gen(function* () {
    const plain = Redacted.value(Effect.isEffect(password) ? yield* password : password)
    if (accepted?.plain === plain) return Redacted.make(accepted.password)
    const prepared = yield* prepare(plain)
    if (prepared === plain) return Redacted.make(plain)
    for (const candidate of [prepared, plain]) {
      const attempt = PgConnection.make({ ...config, password: Redacted.make(candidate) })
      const outcome = yield* Effect.result(Effect.scoped(attempt))
      if (Result.isSuccess(outcome)) accepted = { plain, password: candidate }
      else if (outcome.failure.reason._tag === "AuthenticationError") continue
      return Redacted.make(candidate)
    }
    return Redacted.make(plain)
  })
}
