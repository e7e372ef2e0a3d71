import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { HttpRequest } from "./HttpRequest.ts"
import { varyOn } from "./internal/answers.ts"

/** The CORS protocol for a list of origins. */
export interface Cors {
  /** Whether a browser asks on behalf of a listed origin, before it sends the request of a page. */
  readonly isPreflight: (request: HttpRequest) => boolean
  /** The answer to that. It holds for ten minutes. */
  readonly preflight: HttpServerResponse.HttpServerResponse
  /** Lets a page of a listed origin read an answer to its request. */
  readonly expose: (
    request: HttpRequest,
    response: HttpServerResponse.HttpServerResponse
  ) => HttpServerResponse.HttpServerResponse
}

/**
 * Lets pages of exactly these origins (`https://app.example.com`) call an HTTP application, and read the headers that
 * the client understands. Pages of every other origin are refused by their browser. No cookies are asked for.
 *
 * Source: the CORS protocol of the Fetch standard.
 */
export const make = (origins: ReadonlyArray<string>): Cors => {
  const listed = ({ headers }: HttpRequest) => origins.find((origin) => origin === headers["origin"])
  return {
    isPreflight: (request) =>
      request.method === "OPTIONS" &&
      request.headers["access-control-request-method"] !== undefined &&
      listed(request) !== undefined,
    preflight: HttpServerResponse.empty({
      status: 204,
      headers: {
        "access-control-allow-methods": "GET, HEAD, DELETE",
        "access-control-allow-headers": "authorization",
        "access-control-max-age": "600"
      }
    }),
    expose: (request, response) => {
      const origin = listed(request)
      return HttpServerResponse.setHeaders(varyOn(response, "Origin"), {
        ...(origin !== undefined && {
          "access-control-allow-origin": origin,
          "access-control-expose-headers":
            "x-request-id,retry-after,x-ratelimit-limit,x-ratelimit-remaining,x-ratelimit-reset"
        })
      })
    }
  }
}
