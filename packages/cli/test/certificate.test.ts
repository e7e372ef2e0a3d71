import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { X509Certificate } from "node:crypto"
import { renameSync, writeFileSync } from "node:fs"
import * as Tls from "node:tls"
import { selfSigned } from "../../service/test/certificate.ts"
import * as Host from "../../service/test/Host.ts"
import * as Child from "./Child.ts"

/** A connection over TLS, which asks for one response at a time. */
const connect = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<Tls.TLSSocket>((resume) => {
        const { hostname, port } = new URL(url)
        const socket = Tls.connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () =>
          resume(Effect.succeed(socket))
        )
      }),
      (socket) => Effect.sync(() => socket.destroy())
    ),
    (socket) => ({
      fingerprint: socket.getPeerX509Certificate()?.fingerprint256,
      ask: Effect.callback<string | undefined>((resume) => {
        socket.once("data", (chunk) => resume(Effect.succeed(/^HTTP\/1.1 (\d+)/.exec(String(chunk))?.[1])))
        socket.once("close", () => resume(Effect.succeed("closed")))
        socket.write(Host.request("GET /health"))
      })
    })
  )

const fingerprintOf = ({ cert }: { readonly cert: string }) => new X509Certificate(cert).fingerprint256

/** A moment so many days from now, as UTCTime. */
const inDays = (days: number) =>
  new Date(Date.now() + days * 86_400_000 + 3_600_000).toISOString().replace(/^20|[-:T]|\.\d+/g, "")

const start = Effect.fnUntraced(function* (first: ReturnType<typeof selfSigned>) {
  const folder = yield* Child.folder()
  const write = (cert: string, key: string) =>
    Effect.sync(() => {
      for (const [name, text] of Object.entries({ "cert.pem": cert, "key.pem": key })) {
        writeFileSync(`${folder}/${name}.new`, text)
        renameSync(`${folder}/${name}.new`, `${folder}/${name}`)
      }
    })
  yield* write(first.cert, first.key)
  const child = yield* Child.serve(
    "--tls-cert",
    `${folder}/cert.pem`,
    "--tls-key",
    `${folder}/key.pem`,
    "--keep-alive-timeout",
    "1h"
  )
  const shown = Effect.scoped(Effect.map(connect(child.url), ({ fingerprint }) => fingerprint))
  const log = (pattern: RegExp) => Effect.map(child.until("stderr", pattern), ([line]) => JSON.parse(line))
  return { ...child, write, shown, log }
})

describe.concurrent("a certificate", () => {
  it.live("is replaced on SIGHUP, without a connection lost, and one that is invalid is not used", () =>
    Effect.gen(function* () {
      const [one, two, three] = [selfSigned(), selfSigned("rsa"), selfSigned()]
      const { log, process, shown, url, write } = yield* start(one)
      const open = yield* connect(url)
      expect(yield* open.ask).toBe("200")
      expect(open.fingerprint).toBe(fingerprintOf(one))

      yield* write(two.cert, two.key)
      process.kill("SIGHUP")
      expect(yield* log(/^.*the certificate is renewed.*$/m)).toMatchObject({
        level: "INFO",
        certificateExpires: "2049-12-31T23:59:59.000Z",
        certificateDays: expect.any(Number)
      })
      expect(yield* shown).toBe(fingerprintOf(two))
      expect(yield* open.ask).toBe("200")

      yield* write(three.cert, two.key)
      process.kill("SIGHUP")
      expect(yield* log(/^.*not renewed.*$/m)).toMatchObject({
        level: "WARN",
        message: expect.stringMatching(
          /^the certificate is not renewed, the one before stays in use: --tls-key .* is not the key of the certificate/
        )
      })
      expect(yield* shown).toBe(fingerprintOf(two))
      expect(yield* open.ask).toBe("200")
    })
  )

  it.live("is replaced when its files change", () =>
    Effect.gen(function* () {
      const [one, two] = [selfSigned(), selfSigned()]
      const { log, shown, write } = yield* start(one)
      expect(yield* shown).toBe(fingerprintOf(one))
      yield* write(two.cert, two.key)
      yield* log(/^.*the certificate is renewed.*$/m)
      expect(yield* shown).toBe(fingerprintOf(two))
    })
  )

  it.live("gets a warning when it expires in fewer than 14 days", () =>
    Effect.gen(function* () {
      const { end, log, process, write } = yield* start(selfSigned("ec", inDays(13)))
      expect(yield* log(/^.*expires in.*$/m)).toMatchObject({
        level: "WARN",
        message: "the certificate expires in 13 days: renew it",
        certificateDays: 13
      })
      const renewed = selfSigned("ec", inDays(14))
      yield* write(renewed.cert, renewed.key)
      process.kill("SIGHUP")
      expect(yield* log(/^.*the certificate is renewed.*$/m)).toMatchObject({ certificateDays: 14 })
      process.kill("SIGTERM")
      expect((yield* end).stderr.match(/renew it/g)).toHaveLength(1)

      const expired = yield* start(selfSigned("ec", inDays(-1)))
      expect(yield* expired.log(/^.*has expired.*$/m)).toMatchObject({
        message: "the certificate has expired: renew it"
      })
    })
  )
})
