import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Base64Url from "effect/encoding/Base64Url"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { HttpRequest } from "../HttpRequest.ts"

/** Whether a caller takes gzip (RFC 9110 §12.5.3). */
const acceptsGzip = (accepted = ""): boolean => {
  const weights = new Map<string, string>()
  for (const part of accepted.toLowerCase().split(",")) {
    const [coding = "", weight = ""] = part.split(";").map((text) => text.trim())
    weights.set(coding, weight)
  }
  const weight = weights.get("gzip") ?? weights.get("*")
  return weight !== undefined && !/^q=0(?:\.0*)?$/.test(weight)
}

/** Whether a caller has what this tag stands for, in any coding (RFC 9110 §13.1.2). */
const holds = (tags: string | undefined, tag: string): boolean =>
  tags?.split(",").some((held) => held.trim() === "*" || held.trim().replace(/^W\//, "") === tag) === true

/** Makes something once. A failure is not kept: it may pass, as when too many files are open. */
export const once = <A, E>(self: Effect.Effect<A, E>): Effect.Effect<Effect.Effect<A, E>> =>
  Effect.cachedWithTTL(self, (exit) => (Exit.isSuccess(exit) ? "Infinity" : "-Infinity"))

const gzip = (bytes: Uint8Array<ArrayBuffer>) =>
  Effect.promise(async () => {
    const compressed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))
    return new Uint8Array(await new Response(compressed).arrayBuffer())
  })

/**
 * A document that does not change while the service runs: compressed once, when a caller first takes it so, and not sent
 * again to those who keep it. It stays in memory as bytes, which all connections share; of a text each would hold a copy
 * until its peer has read it.
 */
export const make = Effect.fnUntraced(function* (text: string, headers: Readonly<Record<string, string>>) {
  const bytes = new TextEncoder().encode(text)
  const digest = yield* Effect.promise(() => crypto.subtle.digest("SHA-256", bytes))
  const tag = `"${Base64Url.encode(new Uint8Array(digest))}"`
  // weak, since it stands for the document in either coding (RFC 9110 §8.8.1)
  const all = { ...headers, etag: `W/${tag}`, vary: "Accept-Encoding", "cache-control": "no-cache" }
  const plain = HttpServerResponse.uint8Array(bytes, { headers: all })
  const unchanged = HttpServerResponse.empty({ status: 304, headers: all })
  const compressed = yield* once(
    Effect.map(gzip(bytes), (bytes) =>
      HttpServerResponse.uint8Array(bytes, { headers: { ...all, "content-encoding": "gzip" } })
    )
  )
  return ({ headers }: HttpRequest) => {
    if (holds(headers["if-none-match"], tag)) return Effect.succeed(unchanged)
    return acceptsGzip(headers["accept-encoding"]) ? compressed : Effect.succeed(plain)
  }
})
