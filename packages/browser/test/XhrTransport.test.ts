import { runInNewContext } from "node:vm"
import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/core/Credentials"
import * as Retry from "@cloud-management/core/Retry"
import * as XhrTransport from "@cloud-management/browser/XhrTransport"

// where there is an XMLHttpRequest, the cases of checks/runtimes run in Chromium

const organizations = { status: 200, requestId: "1", result: [{ id: "11111111-1111-4111-8111-111111111111" }] }
const body = new TextEncoder().encode(JSON.stringify(organizations))

/** What an XMLHttpRequest does; `sent` says what a browser, or a mock, makes of a request. */
const stub = (sent: (xhr: Xhr) => void) => {
  class Stubbed extends Xhr {
    override send() {
      sent(this)
    }
  }
  vi.stubGlobal("XMLHttpRequest", Stubbed)
}
class Xhr {
  status = 0
  responseURL = ""
  response: unknown = null
  onreadystatechange?: () => void
  onprogress?: (event: object) => void
  onload?: () => void
  onerror?: () => void
  onabort?: () => void
  onloadend?: () => void
  open(_: string, url: string) {
    this.responseURL = url
  }
  setRequestHeader() {}
  getAllResponseHeaders() {
    return "Content-Type: application/json\r\nX-Empty:\r\nX-Request-Id: a: b\r\n"
  }
  send() {}
  abort() {
    this.fail("onabort")
  }

  head(status = 200) {
    this.status = status
    this.onreadystatechange?.()
  }
  finish(response: unknown = body.buffer) {
    this.onprogress?.({ lengthComputable: false, loaded: body.length })
    this.response = response
    this.onreadystatechange?.()
    this.onload?.()
    this.onloadend?.()
  }
  fail(how: "onabort" | "onerror") {
    this.status = 0
    this.response = null
    this.onreadystatechange?.()
    this[how]?.()
    this.onloadend?.()
  }
}
afterEach(() => vi.unstubAllGlobals())

const list = (baseUrl = "http://api.example.com") =>
  CloudManagement.make({
    baseUrl,
    credentials: Credentials.make("key-id", "secret"),
    deadline: { attempt: Infinity, total: Infinity },
    retry: Retry.none
  }).pipe(
    Effect.orDie,
    Effect.flatMap((cloud) => cloud.organizations.list()),
    Effect.provide(XhrTransport.layer)
  )
const ending = (baseUrl?: string) =>
  Effect.match(list(baseUrl), {
    onSuccess: ([{ id }]) => id,
    onFailure: ({ outcome, reason, requestId }) =>
      `${reason._tag}, ${outcome}${requestId === undefined ? "" : `, request ${requestId}`}`
  })
const listed = organizations.result[0]?.id

const refuse = () => {
  throw new TypeError("not implemented")
}

describe("the XHR transport", () => {
  it.effect.each<[what: string, sent: (xhr: Xhr) => void, ending: string | undefined, baseUrl?: string]>([
    ["takes a response", (xhr) => (xhr.head(), xhr.finish()), listed],
    ["takes a response of which a mock shows only the end", (xhr) => ((xhr.status = 200), xhr.finish()), listed],
    [
      "takes bytes of another realm",
      (xhr) => (xhr.head(), xhr.finish(runInNewContext("Uint8Array.from(body).buffer", { body }))),
      listed
    ],
    [
      "fails without an ArrayBuffer",
      (xhr) => (xhr.head(), xhr.finish("text")),
      "TransportFailed, unknown, request a: b"
    ],
    [
      "takes a response whose headers are null, as those of React Native can be",
      (xhr) => (Object.assign(xhr, { getAllResponseHeaders: () => null }), xhr.head(), xhr.finish()),
      listed
    ],
    [
      "fails when the headers cannot be read",
      (xhr) => {
        xhr.getAllResponseHeaders = refuse
        xhr.head()
        xhr.finish()
      },
      "TransportFailed, unknown"
    ],
    [
      "fails when the body cannot be read",
      (xhr) => {
        xhr.head()
        Object.defineProperty(xhr, "response", { get: refuse, set: () => {} })
        xhr.finish()
      },
      "TransportFailed, unknown, request a: b"
    ],
    ["fails when the connection fails", (xhr) => xhr.fail("onerror"), "TransportFailed, unknown"],
    ["fails when the browser stops it", (xhr) => xhr.fail("onabort"), "TransportFailed, unknown"],
    [
      "fails when the connection ends within a body",
      (xhr) => (xhr.head(), xhr.fail("onerror")),
      "TransportFailed, unknown, request a: b"
    ],
    [
      "fails when the browser stops it within a body",
      (xhr) => (xhr.head(), xhr.fail("onabort")),
      "TransportFailed, unknown, request a: b"
    ],
    [
      "fails when it cannot be sent",
      () => {
        throw new DOMException("", "InvalidStateError")
      },
      "TransportFailed, unknown"
    ],
    [
      "takes a request that the browser secured",
      (xhr) => ((xhr.responseURL = xhr.responseURL.replace("http:", "https:")), xhr.head(), xhr.finish()),
      listed
    ],
    [
      "rejects the response of another host",
      (xhr) => ((xhr.responseURL = "https://other.example.com/v1/organizations"), xhr.head(), xhr.finish()),
      "UnexpectedStatus, unknown"
    ],
    [
      "rejects the response of another path",
      (xhr) => ((xhr.responseURL = "https://api.example.com/login"), xhr.head(), xhr.finish()),
      "UnexpectedStatus, unknown"
    ],
    [
      "rejects a response that is no longer secure",
      (xhr) => ((xhr.responseURL = xhr.responseURL.replace("https:", "http:")), xhr.head(), xhr.finish()),
      "UnexpectedStatus, unknown",
      "https://api.example.com"
    ]
  ])("%s", ([, sent, expected, baseUrl]) =>
    Effect.gen(function* () {
      stub(sent)
      expect(yield* ending(baseUrl)).toBe(expected)
    })
  )

  it.effect("fails when it cannot be opened", () =>
    Effect.gen(function* () {
      vi.stubGlobal(
        "XMLHttpRequest",
        class extends Xhr {
          override open = refuse
        }
      )
      expect(yield* ending()).toBe("TransportFailed, unknown")
    })
  )

  it.effect.each<[how: string, listener: () => Effect.Effect<void>]>([
    [
      "throws",
      () => {
        throw new Error("no such element")
      }
    ],
    ["dies", () => Effect.die(new Error("no such element"))]
  ])("fails a call whose listener %s, and ends its request", ([, listener]) =>
    Effect.gen(function* () {
      const ends: Array<string> = []
      stub((xhr) => {
        xhr.abort = () => ends.push("aborted")
        xhr.head()
        xhr.onprogress?.({ lengthComputable: true, loaded: 1, total: 2 })
      })
      const exit = yield* Effect.exit(XhrTransport.onProgress(list(), listener))
      expect(exit._tag).toBe("Failure")
      expect(ends).toEqual(["aborted"])
    })
  )

  it.effect("takes a listener that returns no Effect", () =>
    Effect.gen(function* () {
      stub((xhr) => (xhr.head(), xhr.finish()))
      const loaded: Array<number> = []
      // @ts-expect-error: of a program without types
      const [organization] = yield* XhrTransport.onProgress(list(), (progress) => void loaded.push(progress.loaded))
      expect([organization.id, loaded]).toEqual([listed, [body.length]])
    })
  )

  it.effect("is not there where there is no XMLHttpRequest: a call fails at once and says what to use", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(list())
      expect(error.reason.message).toBe("this runtime has no XHR: use the fetch transport")
      expect([error.reason._tag, error.outcome, error.attempts]).toEqual(["TransportFailed", "not-sent", 1])
    })
  )
})

describe("a body", () => {
  const post = (body: HttpBody.HttpBody) =>
    Effect.provide(HttpClient.post("https://api.example.com/", { body }), XhrTransport.layer)

  it.effect("of bytes, a form or a Blob is sent as it is", () =>
    Effect.gen(function* () {
      const sent: Array<unknown> = []
      class Sending extends Xhr {
        override send(content?: unknown) {
          sent.push(content)
          this.head()
          this.finish()
        }
      }
      vi.stubGlobal("XMLHttpRequest", Sending)
      const [form, blob] = [new FormData(), new Blob(["a"])]
      yield* post(HttpBody.uint8Array(Uint8Array.of(0xff)))
      yield* post(HttpBody.formData(form))
      yield* post(HttpBody.raw(blob, { contentType: "text/csv" }))
      expect(sent).toEqual([Uint8Array.of(0xff), form, blob])
    })
  )

  it.effect("that is a stream is not sent, nor begun, and the error says what sends it", () =>
    Effect.gen(function* () {
      const sent: Array<unknown> = []
      stub((xhr) => sent.push(xhr))
      let begun = 0
      const body = HttpBody.stream(Stream.suspend(() => Stream.succeed(Uint8Array.of(++begun))))
      const { reason } = yield* Effect.flip(post(body))
      expect(reason).toMatchObject({
        _tag: "EncodeError",
        description: "XHR sends no Stream: use FetchTransport.layerStreams"
      })
      expect([begun, sent.length]).toEqual([0, 0])
    })
  )
})
