import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Failure from "../Failure.ts"
import * as Setting from "../setting.ts"

const readPem = Effect.fnUntraced(function* (flag: string, path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(files.readFileString(path), ({ reason }) =>
    Failure.usage(`${flag}: ${path} cannot be read (${reason._tag})`, "Pass the path of a PEM file.")
  )
})

/** The certificate and the private key in the files that were named: both, or neither for HTTP. */
export const read = Effect.fnUntraced(function* (options: {
  readonly tlsCert: Option.Option<string>
  readonly tlsKey: Option.Option<string>
}) {
  const { tlsCert: cert, tlsKey: key } = options
  if (Option.isNone(cert) && Option.isNone(key)) return undefined
  if (Option.isNone(cert) || Option.isNone(key)) {
    return yield* Failure.usage(`${Setting.named("tls-cert")} and ${Setting.named("tls-key")} go together`)
  }
  return {
    cert: yield* readPem("--tls-cert", cert.value),
    key: Redacted.make(yield* readPem("--tls-key", key.value), { label: "tlsKey" })
  }
})
