import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { canonical } from "./address.ts"

/** How a host finds the address of a request's caller. Default: `remoteAddress` of the request. */
export const Resolver = Context.Reference<(request: HttpServerRequest.HttpServerRequest) => string | undefined>(
  "@cloud-management/service/CallerAddress",
  { defaultValue: () => (request) => Option.getOrUndefined(request.remoteAddress) }
)

/** The address of a request's caller in its canonical form, if it is known. */
export const of = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string | undefined> =>
  Effect.map(Resolver, (resolve) => {
    const address = resolve(request)
    return address === undefined ? undefined : canonical(address)
  })
