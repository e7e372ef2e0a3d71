import * as Stream from "effect/Stream"
import type { Fault } from "./wire/fault.ts"

/**
 * A request as a host passes it to the service.
 *
 * **Details**
 *
 * It is plain data: to copy a request with another `url`, write `{ ...request, url }`.
 */
export interface HttpRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Headers by lower-case name. Repeated lines are joined by commas (RFC 9110 §5.3). */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The address of the caller, determined when it is needed. */
  readonly address: () => string | undefined
  /** The content, read only if there is one. */
  readonly content: () => Stream.Stream<Uint8Array, unknown>
  /** Whether there is content that no header announces, as HTTP/2 allows (RFC 9113 §8.1.1). Default: no. */
  readonly hasContent?: boolean | undefined
  /** The fault that the host has found in the request so far. Default: none, for hosts that do their own checks. */
  readonly fault?: (() => Fault | undefined) | undefined
  /** Longest accepted `url`, in characters. Default: 2048. */
  readonly maxTargetLength?: number | undefined
  /** Largest accepted content, in bytes. Default: 65,536. */
  readonly maxBodyLength?: number | undefined
  /** The host's own object for the request. */
  readonly source: object
}

/** The path of a request, without its query. */
export const pathOf = ({ url }: Pick<HttpRequest, "url">): string => {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

const targetOf = ({ pathname, search }: URL): string => pathname + search

/**
 * A request of the Fetch standard.
 *
 * **Example** (Reading a Fetch request)
 *
 * ```ts
 * import * as HttpRequest from "@cloud-management/service/HttpRequest"
 *
 * const request = HttpRequest.fromWeb(new Request("https://api.example.com/v1/organizations"), "192.0.2.1")
 * ```
 */
export const fromWeb = (request: Request, address?: string): HttpRequest => ({
  method: request.method,
  url: targetOf(new URL(request.url)),
  headers: Object.fromEntries(request.headers),
  address: () => address,
  content: () => {
    const { body } = request
    return body === null
      ? Stream.empty
      : Stream.fromReadableStream({ evaluate: () => body, onError: (error): unknown => error })
  },
  hasContent: request.body !== null,
  source: request
})
