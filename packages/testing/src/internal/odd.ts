import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { HttpRequest } from "@cloud-management/service/HttpRequest"
import * as Fixtures from "../Fixtures.ts"

export const organization = { id: Fixtures.acme, name: "Acme", createdAt: "2026-01-01T00:00:00.000Z" }
export const list = (result: unknown, rest: object = { status: 200, requestId: "req-123" }) => ({ ...rest, result })
export const json = (body: unknown, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe(body, { headers })

/** Not `Effect.never`: workerd gives up on a request that waits for nothing. */
const forever = Effect.andThen(Effect.sleep("1 day"), Effect.never)

const encoder = new TextEncoder()
/** Compressed if the request accepts it (RFC 9110 §12.5.3), otherwise unchanged. */
const gzip =
  (text: string, coding = "gzip") =>
  ({ headers }: HttpRequest) =>
    Effect.promise(async () => {
      if (headers["accept-encoding"]?.includes("gzip") !== true) return chunks([encoder.encode(text)])
      const compressed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))
      return HttpServerResponse.uint8Array(new Uint8Array(await new Response(compressed).arrayBuffer()), {
        contentType: "application/json",
        headers: { "content-encoding": coding }
      })
    })
const chunks = (parts: Iterable<Uint8Array>) =>
  HttpServerResponse.stream(Stream.fromIterable(parts), { contentType: "application/json" })
const refused = (status: number, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe({ status, error: "REFUSED: as asked for", requestId: "req-123" }, { status, headers })

/** A body that stops after its first bytes, while the connection stays open. */
const stalled = (status: number) =>
  HttpServerResponse.stream(
    Stream.concat(Stream.succeed(encoder.encode(`{"status":${status},`)), Stream.fromEffectDrain(forever)),
    { status, contentType: "application/json" }
  )

/** Whole mebibytes of spaces inside a valid envelope. */
const large = (mebibytes: number) => `${" ".repeat(mebibytes * 1024 * 1024)}${JSON.stringify(list([organization]))}`

/**
 * Odd responses, by the first segment of the path: a client whose base URL is `…/odd/NAME` gets that response to every
 * request.
 */
export const odd = {
  "html-404": HttpServerResponse.html("<h1>Not here</h1>").pipe(HttpServerResponse.setStatus(404)),
  // some gateways name an encoding even here
  "empty-204": HttpServerResponse.empty({ status: 204, headers: { "content-encoding": "gzip" } }),
  "empty-205": HttpServerResponse.empty({ status: 205, headers: { "content-encoding": "gzip" } }),
  "empty-304": HttpServerResponse.empty({ status: 304, headers: { "content-encoding": "gzip" } }),
  limited: refused(429, { "retry-after": "7" }),
  redirect: HttpServerResponse.redirect("/odd/plain/v1/organizations", { status: 307 }),
  "not-json": HttpServerResponse.text("{", { contentType: "application/json" }),
  absent: json({ result: [{ id: "12345678-1234-1234-1234-123456789012" }] }, { "x-request-id": "req-9" }),
  plain: json(list([organization])),
  gzip: gzip(JSON.stringify(list([organization]))),
  "upper-case-gzip": gzip(JSON.stringify(list([organization])), "GZIP"),
  // no byte of it is JSON
  "unknown-coding": HttpServerResponse.uint8Array(Uint8Array.of(0x1f, 0x9d, 0x90), {
    contentType: "application/json",
    headers: { "content-encoding": "compress" }
  }),
  "gzip-bomb": gzip(large(2)),
  large: chunks([encoder.encode(large(2))]),
  split: chunks(
    Array.from(encoder.encode(JSON.stringify(list([{ ...organization, name: "Äcmé ✓" }]))), (byte) =>
      Uint8Array.of(byte)
    )
  ),
  truncated: HttpServerResponse.stream(
    // the wait lets the first part leave the machine before the connection breaks
    Stream.concat(
      Stream.succeed(encoder.encode('{"status":200,')),
      Stream.fromEffect(Effect.delay(Effect.fail("the connection breaks here"), "20 millis"))
    ),
    { contentType: "application/json" }
  ),
  stalled: stalled(200),
  "stalled-403": stalled(403),
  "stalled-404": stalled(404)
} satisfies Record<string, HttpServerResponse.HttpServerResponse | ReturnType<typeof gzip>>

/** The names of the odd responses. */
export type Odd = keyof typeof odd | "hang" | "headers" | "asked"
