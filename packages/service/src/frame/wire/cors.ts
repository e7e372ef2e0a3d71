import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import type { Registry } from "@cloud-management/client/Client"
import type { Any } from "@cloud-management/client/Operation"
import type { HttpRequest } from "../HttpRequest.ts"
import { propertiesOf } from "./input.ts"

/** The headers of an operation's request that a browser asks for, beside those of every request. */
const headersOf = ({ headers, payload, repeat }: Any): ReadonlyArray<string> => {
  const own = headers === undefined ? [] : propertiesOf(Schema.toEncoded(headers.schema).ast)
  return [
    ...(payload === undefined ? [] : ["content-type"]),
    ...(typeof repeat === "object" ? [repeat.header] : []),
    ...own.map(({ name }) => String(name).toLowerCase())
  ]
}

const list = (names: Iterable<string>) => [...new Set(names)]

/**
 * Lets pages of exactly these origins (`https://app.example.com`) call the operations of a registry, and read the headers
 * that the client understands. Pages of every other origin are refused by their browser. No cookies are asked for.
 *
 * Source: the CORS protocol of the Fetch standard.
 */
export const make = (origins: ReadonlyArray<string>, registry: Registry) => {
  const operations = Object.values(registry).flatMap((group) => Object.values(group))
  const methods = list(["GET", "HEAD", ...operations.map(({ method }) => method)]).join(", ")
  const allowed = list(["authorization", ...operations.flatMap(headersOf)]).join(", ")
  const exposed = [
    "x-request-id,retry-after,x-ratelimit-limit,x-ratelimit-remaining,x-ratelimit-reset",
    ...(operations.some(({ pagination }) => pagination?._tag === "Link") ? ["link"] : [])
  ].join(",")
  const listed = ({ headers }: HttpRequest) => origins.find((origin) => origin === headers["origin"])
  return {
    /** Whether a browser asks on behalf of a listed origin, before it sends the request of a page. */
    isPreflight: (request: HttpRequest) =>
      request.method === "OPTIONS" &&
      request.headers["access-control-request-method"] !== undefined &&
      listed(request) !== undefined,
    preflight: HttpServerResponse.empty({
      status: 204,
      headers: {
        "access-control-allow-methods": methods,
        "access-control-allow-headers": allowed,
        "access-control-max-age": "600"
      }
    }),
    /** Lets a page of a listed origin read the response to its request. */
    expose: (request: HttpRequest, response: HttpServerResponse.HttpServerResponse) => {
      const origin = listed(request)
      // RFC 9110 §12.5.5
      const vary = [response.headers["vary"] ?? [], "Origin"].flat().join(", ")
      const varying = HttpServerResponse.setHeader(response, "vary", vary)
      if (origin === undefined) return varying
      const headers = { "access-control-allow-origin": origin, "access-control-expose-headers": exposed }
      return HttpServerResponse.setHeaders(varying, headers)
    }
  }
}
