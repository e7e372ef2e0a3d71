import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { RequestListener } from "node:http"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import * as Listener from "../../../checks/fixtures/Listener.ts"
import * as Bundle from "../src/read/Bundle.ts"
import * as Document from "../src/read/Document.ts"
import * as Fetch from "../src/read/Fetch.ts"
import { make, object, ok, text } from "./document.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"

/** A server of files; a text that is a path leads there. */
const files = (contents: Readonly<Record<string, unknown>>, requests: Array<string> = []) =>
  Listener.serve(({ url = "" }, response) => {
    requests.push(url)
    const content = contents[url]
    if (typeof content === "string") response.writeHead(302, { location: content }).end()
    else response.writeHead(content === undefined ? 404 : 200).end(JSON.stringify(content))
  })

/** Reads a document, for which 127.0.0.2 is the only private address. */
const read = Effect.fnUntraced(function* (url: string, allowsPrivate = false) {
  const fetch = yield* Fetch.make({ allowsPrivate, isPrivate: (address) => address === "127.0.0.2" })
  const opened = yield* fetch(url, undefined)
  const { root, unread } = yield* Bundle.read(opened, url, fetch)
  return Document.make(root, unread)
})

const reading = (operationId: string, $ref: string) => ({ get: { operationId, responses: ok({ $ref }) } })
const document = (references: Readonly<Record<string, string>>, schemas: object = {}) => ({
  ...make({ operations: {}, schemas }),
  paths: Object.fromEntries(Object.entries(references).map(([id, $ref]) => [`/${id}`, reading(id, $ref)]))
})
const omitted = (document: Document.Document) =>
  Object.fromEntries(Generated.ofDocument(document).omitted.map(({ id, message }) => [id, message]))

describe("a document on the web", () => {
  it.live("reads what it refers to, from where a redirect leads, and nothing that only an example names", function* () {
    const requests: Array<string> = []
    const Pet = {
      ...object({ kind: text }, ["kind"]),
      discriminator: { propertyName: "kind", mapping: { c: "cat.json" } }
    }
    const Example = { ...object({ a: text }), example: { $ref: "no.json" } }
    const url = yield* files(
      {
        "/start": "/deep/openapi.json",
        "/deep/openapi.json": document(
          { a: "parts/a%20b.json#/A", b: "#/components/schemas/Pet", c: "#/components/schemas/Example" },
          { Pet, Example }
        ),
        "/deep/parts/a%20b.json": { A: { $ref: "../cat.json" } },
        "/deep/cat.json": object({ cat: text })
      },
      requests
    )
    expect(omitted(yield* read(`${url}/start`))).toEqual({})
    expect(requests).toEqual(["/start", "/deep/openapi.json", "/deep/parts/a%20b.json", "/deep/cat.json"])
  })

  it.live("reads JSON in which a key is repeated, as from the disk", function* () {
    const content = JSON.stringify(document({ a: "#/components/schemas/A" }, { A: text })).replace(
      "{",
      '{"openapi":"3.0.0",'
    )
    const url = yield* Listener.serve((_, response) => response.end(content))
    expect(omitted(yield* read(url))).toEqual({})
  })

  it.live("refuses only the operations that need a file that is not there, with its URL and the cause", function* () {
    const url = yield* files({
      "/openapi.json": document({
        a: "none.json#/A",
        b: "pet.json",
        c: "circle",
        d: "odd",
        e: "http://127.0.0.1:65535/x?token=secret"
      }),
      "/pet.json": text,
      "/circle": "/circle",
      "/odd": "ftp://127.0.0.1/x"
    })
    expect(omitted(yield* read(`${url}/openapi.json`))).toEqual({
      a: `${url}/none.json#/A was not read: HTTP 404`,
      c: `${url}/circle was not read: more than 10 redirects`,
      d: `${url}/odd was not read: a redirect to ftp:`,
      e: "http://127.0.0.1:65535/x?… was not read: connect ECONNREFUSED 127.0.0.1:65535"
    })
  })

  it.live("leads to this machine and its network only if that is allowed, also by a redirect", function* () {
    const url = yield* files({
      "/openapi.json": document({ a: "http://127.0.0.2:65535/a", b: "redirect" }),
      "/redirect": "http://127.0.0.2:65535/b"
    })
    const hidden =
      "127.0.0.2:65535 is on this machine or its network, and a public document leads to it: see --allow-private"
    expect(omitted(yield* read(`${url}/openapi.json`))).toMatchObject({
      a: `http://127.0.0.2:65535/a was not read: ${hidden}`,
      b: `${url}/redirect was not read: ${hidden}`
    })
    expect(omitted(yield* read(`${url}/openapi.json`, true))).toMatchObject({
      a: "http://127.0.0.2:65535/a was not read: connect ECONNREFUSED 127.0.0.2:65535",
      b: `${url}/redirect was not read: connect ECONNREFUSED 127.0.0.2:65535`
    })
  })

  it.live.each([
    "localhost:65535",
    "127.1",
    "0x7f000001",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:10.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[fe80::1]",
    "[fd00::1]",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254"
  ])("is public, and %s is not", function* (host) {
    const fetch = yield* Fetch.make({ allowsPrivate: false })
    const failure = yield* Effect.flip(fetch(`http://${host}/`, "https://example.com/openapi.json"))
    expect(failure).toContain("is on this machine or its network")
  })

  const bomb = gzipSync(Buffer.alloc(110_000_000))
  it.live.each<readonly [what: string, RequestListener]>([
    ["compressed", (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb)],
    [
      "endless",
      (_, response) => {
        const chunk = Buffer.alloc(1_000_000, " ")
        const more = (): void => void (response.destroyed || response.write(chunk, more))
        more()
      }
    ]
  ])("is no larger than 100 MB, as it arrives: %s", function* ([, handle]) {
    const url = yield* Listener.serve(handle)
    expect(yield* Effect.flip(read(url))).toBe("more than 100000000 bytes")
  })

  it.effect.each<readonly [what: string, (connected: () => void) => RequestListener]>([
    ["a server that does not respond", (connected) => connected],
    [
      "a body that stalls",
      (connected) => (_, response) => {
        response.write("{", connected)
      }
    ]
  ])("takes a minute at most: %s", function* ([, handle]) {
    let connected = () => {}
    const isConnected = new Promise<void>((resolve) => (connected = resolve))
    const url = yield* Listener.serve(handle(connected))
    const fiber = yield* Effect.forkChild(Effect.flip(read(url)))
    yield* Effect.promise(() => isConnected)
    yield* TestClock.adjust("1 minute")
    expect(yield* Fiber.join(fiber)).toBe("takes longer than 1m")
  })

  it.live("gets the credentials of its URL, which no message has", function* () {
    const content = document({ a: "a.json", b: "none.json" })
    const seen = new Set<string | undefined>()
    const url = yield* Listener.serve(({ headers, url }, response) => {
      seen.add(headers.authorization)
      if (url === "/none.json") response.writeHead(401)
      response.end(JSON.stringify(url === "/a.json" ? text : content))
    })
    const withPassword = (path: string) => url.replace("//", "//me:p%40ss@") + path
    const folder = Folder.ofTest()
    const generate = (url: string, ...more: ReadonlyArray<string>) =>
      Effect.promise(() => Generated.run(url, "--out", join(folder, "out"), ...more))
    const { code, error, out } = yield* generate(withPassword("/openapi.json"), "--fetch")
    expect([code, error, out]).toEqual([0, "", expect.stringContaining(`${url}/none.json was not read: HTTP 401`)])
    expect([...seen]).toEqual([`Basic ${btoa("me:p@ss")}`])
    for (const path of ["/none.json", "/openapi.json?key=pass"]) {
      for (const more of [[], ["--fetch"]]) {
        const said = yield* generate(withPassword(path), ...more)
        expect(said.error + said.out).not.toMatch(/p%40ss|p@ss|key=/)
      }
    }
    const closed = yield* generate("http://me:pass@127.0.0.1:65535/x", "--fetch")
    expect(closed.error).toBe("error: http://127.0.0.1:65535/x: connect ECONNREFUSED 127.0.0.1:65535\n")
  })
})
