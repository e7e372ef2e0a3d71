import { DateTime, Effect, FileSystem, Option, Redacted, Stream } from "effect"
import * as Crypto from "node:crypto"
import { isIP } from "node:net"
import { createSecureContext } from "node:tls"
import type { Options } from "./command.ts"
import * as Input from "../input/input.ts"
import * as Failure from "../output/Failure.ts"
import * as Setting from "../input/setting.ts"
import { certificatesOf } from "../process/authorities.ts"

const namesOf = ({ subject, subjectAltName = "" }: Crypto.X509Certificate): ReadonlyArray<string> => {
  const names = Array.from(subjectAltName.matchAll(/(?:DNS|IP Address):([^,]+)/g), ([, name = ""]) => name)
  return names.length > 0 ? names : Array.from(subject.matchAll(/^CN=(.*)$/gm), ([, name = ""]) => name)
}

const isFor = (certificate: Crypto.X509Certificate, name: string) =>
  (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined

/** Why clients would refuse a certificate that takes the place of another, if they accept that one. */
export const objection = ({ parsed: next }: Pair, { parsed: current }: Pair, now: DateTime.Utc): string | undefined => {
  const began = ({ validFrom }: Crypto.X509Certificate) => DateTime.makeUnsafe(validFrom)
  const ends = ({ validTo }: Crypto.X509Certificate) => DateTime.makeUnsafe(validTo)
  if (DateTime.isLessThan(ends(current), now) || DateTime.isGreaterThan(began(current), now)) return undefined
  if (DateTime.isLessThan(ends(next), now)) return `the new one expired at ${DateTime.formatIso(ends(next))}`
  if (DateTime.isGreaterThan(began(next), now))
    return `the new one is not valid before ${DateTime.formatIso(began(next))}`
  const names = namesOf(current)
  return names.some((name) => isFor(next, name)) || namesOf(next).some((name) => isFor(current, name))
    ? undefined
    : `the new one is for none of the names of the previous one, ${names.join(", ")}; a restart takes it`
}

export interface Files {
  readonly cert: string
  readonly key: string
}

const readPem = Effect.fnUntraced(function* <A>(
  path: string,
  what: string,
  setting: string,
  parse: (pem: string) => A
) {
  const advice = "Pass the path of a PEM file."
  // no more of it: what was put in its place may be endless, or larger than the memory
  const refusal = (problem: string) => Failure.usage(`${setting}: ${path} ${problem}`, advice)
  const text = yield* Stream.mkString(Input.text(path, refusal, 2 ** 20))
  const parsed = yield* Effect.try({ try: () => parse(text), catch: () => refusal(`contains no ${what}`) })
  return { text, parsed }
})

/** Whether the files can be read again at any time, as pipes cannot. */
export const canBeWatched = Effect.fnUntraced(function* ({ cert, key }: Files) {
  const files = yield* FileSystem.FileSystem
  const types = yield* Effect.forEach([cert, key], (path) => Effect.option(files.stat(path)))
  return types.every((found) => Option.isNone(found) || found.value.type === "File")
})

const [certSetting, keySetting] = [Setting.named("tls-cert"), Setting.named("tls-key")]

export const filesOf = Effect.fnUntraced(function* ({ tlsCert, tlsKey }: Pick<Options, "tlsCert" | "tlsKey">) {
  const [cert, key] = [Option.getOrUndefined(tlsCert), Option.getOrUndefined(tlsKey)]
  if (cert === undefined && key === undefined) return undefined
  if (cert !== undefined && key !== undefined) return { cert, key }
  return yield* Failure.usage(
    `${certSetting} and ${keySetting} must be used together`,
    "Pass both, or neither to serve HTTP."
  )
})

export const read = Effect.fnUntraced(function* (paths: Files) {
  const { cert, key } = paths
  const certificate = yield* readPem(cert, "certificate", certSetting, (pem) => new Crypto.X509Certificate(pem))
  const what = "private key, or one that needs a passphrase"
  const privateKey = yield* readPem(key, what, keySetting, Crypto.createPrivateKey)
  if (!certificate.parsed.checkPrivateKey(privateKey.parsed)) {
    return yield* Failure.usage(
      `${keySetting}: ${key} is not the key of the certificate in ${cert}`,
      "Pass the key that the certificate was made for."
    )
  }
  // what OpenSSL refuses for another reason, as a key that is too short
  yield* Effect.try({
    try: () => createSecureContext({ cert: certificate.text, key: privateKey.text }),
    catch: (error) =>
      Failure.usage(`${certSetting}: ${cert} cannot be used: ${error instanceof Error ? error.message : String(error)}`)
  })
  const [, ...issuers] = certificatesOf(certificate.text)
  const chain = [certificate.parsed, ...issuers.map((pem) => new Crypto.X509Certificate(pem))]
  const first = chain.reduce((a, b) => (Date.parse(b.validTo) < Date.parse(a.validTo) ? b : a))
  const expiry = DateTime.makeUnsafe(first.validTo)
  return {
    paths,
    cert: certificate.text,
    key: Redacted.make(privateKey.text, { label: "tlsKey" }),
    parsed: certificate.parsed,
    // of the one in the chain that expires first, as the rest
    expiry,
    lifetime: DateTime.distance(DateTime.makeUnsafe(first.validFrom), expiry),
    subject: first === certificate.parsed ? "the certificate" : "the certificate of an issuer"
  }
})
export type Pair = Effect.Success<ReturnType<typeof read>>
