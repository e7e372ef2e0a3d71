import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Url from "effect/http/Url"

/** A path and a query in which a parser finds nothing to encode (URL standard, §4.4), unless it has dot segments. */
const plain = /^\/[\w.~!$&()*+,;=:@%/?-]*$/
const dotted = /\/(?:\.|%2e)/i

/**
 * Makes a reader of targets. A URL of the last origin is only cut in two, if a parser would leave the rest as it is:
 * parsing costs more than all else that is done to a request.
 */
export const make = () => {
  let origin = ""
  /** The origin, and the path with the query. */
  return ({ hash, url, urlParams }: HttpClientRequest.HttpClientRequest) => {
    if (urlParams.params.length === 0 && origin !== "" && url.startsWith(origin)) {
      const path = url.slice(origin.length)
      if (plain.test(path) && !dotted.test(path)) return Result.succeed({ origin, path })
    }
    return Result.flatMap(Url.make(url, urlParams, Option.getOrUndefined(hash)), (parsed) => {
      if (!/^https?:$/.test(parsed.protocol))
        return Result.fail(new Url.UrlError({ cause: "not an http or https URL" }))
      origin = parsed.origin
      return Result.succeed({ origin, path: parsed.pathname + parsed.search })
    })
  }
}
