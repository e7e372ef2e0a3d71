import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Child, describe, exits, expect, Host, it, Listener, selfSigned } from "../../../checks/fixtures/index.ts"
import { DateTime, Effect, FileSystem, Logger, Queue, Stdio, Stream } from "effect"
import { TestClock } from "effect/testing"
import { X509Certificate } from "node:crypto"
import { execFileSync } from "node:child_process"
import { renameSync, rmSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import * as Net from "node:net"
import * as Tls from "node:tls"
import * as Certificate from "../src/serve/certificate.ts"
import * as ServeTls from "../src/serve/tls.ts"
import * as Server from "./Server.ts"

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

const filesIn = (folder: string) => ["--tls-cert", `${folder}/cert.pem`, "--tls-key", `${folder}/key.pem`]
const fingerprintOf = ({ cert }: { readonly cert: string }) => new X509Certificate(cert).fingerprint256

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
  const child = yield* Child.serve(...filesIn(folder), ..."--keep-alive-timeout 1h --metrics-port 0".split(" "))
  const shown = Effect.scoped(Effect.map(connect(child.url), ({ fingerprint }) => fingerprint))
  const log = (pattern: RegExp) => Effect.map(child.until("stderr", pattern), ([line]) => JSON.parse(line))
  return { ...child, folder, write, shown, log }
})

describe.concurrent("a certificate", () => {
  it.live.runIf(process.execve !== undefined)(
    "that is in a file whose reading hangs does not delay the end",
    function* () {
      const first = selfSigned()
      const { folder, process, stop } = yield* start(first)
      rmSync(`${folder}/cert.pem`)
      execFileSync("mkfifo", [`${folder}/cert.pem`])
      process.kill("SIGHUP")
      // opens once `serve` has opened the other end, which then waits for what is never written
      yield* Effect.acquireRelease(
        Effect.promise(() => open(`${folder}/cert.pem`, "w")),
        (file) => Effect.promise(() => file.close())
      )
      expect(yield* stop).toMatchObject(exits(0, "stopping after the requests"))
    }
  )

  it.live("can be a pipe that a shell opened, and is read once", function* () {
    const { cert, key } = selfSigned()
    const folder = yield* Child.folder({ "cert.pem": cert, "key.pem": key })
    const child = yield* Child.shell(`exec "$@" 3< <(cat '${folder}/key.pem')`, [
      ..."serve --port 0 --format json --tls-key /dev/fd/3 --tls-cert".split(" "),
      `${folder}/cert.pem`
    ])
    yield* child.until("stdout", /https:/)
    child.process.kill("SIGHUP")
    yield* child.until("stderr", /not renewed.*contains no private key/)
  })

  it.live("is replaced on SIGHUP, without a connection lost, and one that is invalid is not used", function* () {
    const inAWeek = new Date(Date.now() + 7 * 86_400_000 + 3_600_000).toISOString().replace(/^20|[-:T]|\.\d+/g, "")
    const [one, two, three] = [selfSigned(), selfSigned("rsa", inAWeek), selfSigned()]
    const { log, page, process, shown, url, write } = yield* start(one)
    expect(yield* log(/^.*"listening".*$/m)).toMatchObject({ tls: true, certificateDays: expect.any(Number) })
    const days = (what: "remaining" | "lifetime") =>
      Effect.promise(async () => {
        const text = await (await fetch(page)).text()
        const [, seconds] = new RegExp(`^cloud_management_certificate_${what}_seconds (\\d+)$`, "m").exec(text) ?? []
        return Math.floor(Number(seconds) / 86_400)
      })
    const lifetime = yield* days("lifetime")
    expect(yield* days("remaining")).toBeGreaterThan(1000)
    expect(lifetime).toBe(10_957)
    const open = yield* connect(url)
    expect(yield* open.ask).toBe("200")
    expect(open.fingerprint).toBe(fingerprintOf(one))

    yield* write(two.cert, two.key)
    process.kill("SIGHUP")
    expect(yield* log(/^.*the certificate was renewed.*$/m)).toMatchObject({
      level: "INFO",
      certificateExpires: expect.stringMatching(/Z$/),
      certificateDays: 7
    })
    expect(yield* days("remaining")).toBe(7)
    expect(yield* days("lifetime")).toBeLessThan(lifetime)
    expect(yield* shown).toBe(fingerprintOf(two))
    expect(yield* open.ask).toBe("200")

    yield* write(three.cert, two.key)
    process.kill("SIGHUP")
    expect(yield* log(/^.*not renewed.*$/m)).toMatchObject({
      level: "WARN",
      message: expect.stringMatching(
        /^the certificate was not renewed, so the previous one stays in use: --tls-key .* is not the key of the certificate/
      )
    })
    expect(yield* shown).toBe(fingerprintOf(two))
    expect(yield* open.ask).toBe("200")
  })

  it.live("does not matter to a SIGHUP before the database is open", function* () {
    const { cert, key } = selfSigned()
    const folder = yield* Child.folder({ "cert.pem": cert, "key.pem": key })
    // a database that accepts a connection, and does not respond
    const database = Net.createServer()
    const reached = new Promise<Net.Socket>((done) => database.once("connection", done))
    const port = yield* Listener.port(database)
    const { end, process } = yield* Child.start(["serve", "--port", "0", "--format", "json", ...filesIn(folder)], {
      CLOUD_MANAGEMENT_DATABASE: `postgres://user@127.0.0.1:${port}/cloud`
    })
    const socket = yield* Effect.promise(() => reached)
    process.kill("SIGHUP")
    database.close()
    socket.destroy()
    expect(yield* end).toMatchObject(exits(7, '"tag":"DatabaseUnavailable"'))
  })
})

describe("the files of a certificate", () => {
  const watched = Effect.fnUntraced(function* (first: ReturnType<typeof selfSigned>) {
    const texts = new Map([
      ["cert.pem", first.cert],
      ["key.pem", first.key]
    ])
    const file = yield* Effect.provide(
      Effect.flatMap(FileSystem.FileSystem, (files) => files.stat(import.meta.filename)),
      NodeFileSystem.layer
    )
    const files = FileSystem.layerNoop({
      stat: () => Effect.succeed(file),
      stream: (path) => Stream.fromEffect(Effect.sync(() => new TextEncoder().encode(texts.get(path))))
    })
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
    const renewed: Array<string> = []
    const { inUse, tls } = yield* Effect.gen(function* () {
      const pair = yield* ServeTls.read({ cert: "cert.pem", key: "key.pem" })
      return yield* Certificate.watch(pair, yield* Queue.unbounded<void>())
    }).pipe(Effect.provide([files, Stdio.layerTest({}), Logger.layer([logger])]))
    const follow = Stream.runForEach(tls.renewals, ({ cert }) => Effect.sync(() => void renewed.push(cert))).pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.forkScoped
    )
    return { texts, lines, renewed, inUse, follow }
  })

  it.effect("may be written one after the other, and what is wrong with them is logged once", function* () {
    const two = selfSigned("ec", "300101000000Z")
    const { inUse, follow, lines, renewed, texts } = yield* watched(selfSigned())
    yield* follow
    texts.set("cert.pem", two.cert)
    yield* TestClock.adjust("5 seconds")
    texts.set("key.pem", two.key)
    yield* TestClock.adjust("5 seconds")
    expect(lines).toEqual([])
    expect(renewed).toEqual([])
    yield* TestClock.adjust("5 seconds")
    expect(lines).toEqual(["the certificate was renewed"])
    expect(renewed).toEqual([two.cert])
    expect(DateTime.formatIso(inUse().expiry)).toBe("2030-01-01T00:00:00.000Z")

    texts.set("key.pem", "")
    yield* TestClock.adjust("1 minute")
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^the certificate was not renewed.*key\.pem contains no/)])
    texts.set("key.pem", two.key)
    yield* TestClock.adjust("1 minute")
    expect(lines).toHaveLength(2)
    expect(renewed).toHaveLength(1)
  })

  it.effect.each<[what: string, next: Parameters<typeof selfSigned>, why: RegExp | undefined]>([
    ["that has expired", ["ec", "260101000000Z"], /expired at 2026-01-01T00:00:00.000Z$/],
    ["that is not valid yet", ["ec", undefined, { begin: "400101000000Z" }], /not valid before 2040-01-01/],
    ["for other names", ["ec", undefined, { host: "other.example", address: [192, 0, 2, 1] }], /none of the names/],
    ["for one of its names", ["ec", undefined, { host: "other.example" }], undefined]
  ])("are kept if the new ones hold a certificate %s", function* ([, next, why]) {
    yield* TestClock.setTime(Date.UTC(2030, 0, 1))
    const { follow, lines, renewed, texts } = yield* watched(selfSigned())
    yield* follow
    const { cert, key } = selfSigned(...next)
    texts.set("cert.pem", cert).set("key.pem", key)
    yield* TestClock.adjust("1 minute")
    expect(lines).toEqual([why === undefined ? "the certificate was renewed" : expect.stringMatching(why)])
    expect(renewed).toEqual(why === undefined ? [cert] : [])
  })

  // the clock of a test begins in 1970
  const year = selfSigned("ec", "700116000000Z", { begin: "690101000000Z" })
  const week = selfSigned("ec", "700107000000Z", { begin: "700101000000Z" })
  const lasting = selfSigned()
  const issued = { ...lasting, cert: lasting.cert + year.cert }
  it.effect.each([
    ["a year", year, "23 hours", "16 days", [13, 12], "the certificate"],
    ["six days", week, "119 hours", "3 days", [0], "the certificate"],
    ["an issuer", issued, "23 hours", "16 days", [13, 12], "the certificate of an issuer"]
  ] as const)("are to be renewed: the log says so each day at the end of %s", function* (row) {
    const [, pair, silent, rest, told, subject] = row
    const { lines } = yield* watched(pair)
    yield* TestClock.adjust(silent)
    expect(lines).toEqual([])
    yield* TestClock.adjust(rest)
    const days = (count: number) => `${subject} expires in ${count} ${count === 1 ? "day" : "days"}: renew it`
    expect(lines.slice(0, told.length)).toEqual(told.map(days))
    const expired = `${subject} has expired: renew it`
    expect(lines.slice(-3)).toEqual([days(0), expired, expired])
  })

  it.effect("have expired: the log says so in that second, not at the end of the day", function* () {
    yield* TestClock.setTime(Date.UTC(1970, 0, 6, 18))
    const { lines } = yield* watched(week)
    yield* TestClock.adjust("6 hours")
    yield* TestClock.adjust("1 second")
    expect(lines).toEqual(["the certificate expires in 0 days: renew it", "the certificate has expired: renew it"])
  })
})

it.live("authorities of the environment are trusted, and a path that is mistyped is one line", function* () {
  const { cert, key } = selfSigned()
  const folder = yield* Child.folder({ "cert.pem": cert, "key.pem": key, "none.pem": "none" })
  const [file, none] = [`${folder}/cert.pem`, `${folder}/none.pem`]
  const served = yield* Server.seeded({ SSL_CERT_FILE: "/nope" }, ...filesIn(folder))
  const ignored = (name: string, path: string) =>
    `${name} is ignored: ${path} cannot be read, or contains no certificate`
  for (const [env, code, message] of [
    [{}, 1],
    [{ NODE_EXTRA_CA_CERTS: file }, 0],
    [{ SSL_CERT_FILE: file }, 0],
    [{ SSL_CERT_FILE: file, NODE_USE_SYSTEM_CA: "1" }, 0],
    [{ SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: "/nope" }, 0, ignored("NODE_EXTRA_CA_CERTS", "/nope")],
    [{ SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: none }, 0, ignored("NODE_EXTRA_CA_CERTS", none)],
    [{ SSL_CERT_FILE: folder, NODE_EXTRA_CA_CERTS: file }, 0, ignored("SSL_CERT_FILE", folder)]
  ] as const) {
    const args = ["organizations", "list", "--format", "json"]
    const ended = yield* Child.run(args, { ...Server.client(served.url), ...env })
    expect([env, ended.code]).toEqual([env, code])
    if (code !== 0)
      expect(JSON.parse(ended.stderr)).toMatchObject({
        error: { advice: expect.stringContaining("NODE_EXTRA_CA_CERTS or SSL_CERT_FILE") }
      })
    else
      expect(ended.stderr === "" ? undefined : JSON.parse(ended.stderr)).toEqual(
        message && { warning: { tag: "Warning", message } }
      )
  }
  const warning = (name: string) => expect.objectContaining({ level: "WARN", message: ignored(name, "/nope") })
  expect(Child.documents((yield* served.stop).stderr)).toContainEqual(warning("SSL_CERT_FILE"))
  const mistyped = yield* Child.serveWith({ NODE_EXTRA_CA_CERTS: "/nope" })
  expect(Child.documents((yield* mistyped.stop).stderr)).toContainEqual(warning("NODE_EXTRA_CA_CERTS"))
})
