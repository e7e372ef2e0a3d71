import type { HttpRequest } from "../HttpRequest.ts"
import { canonical } from "./address.ts"

/** The address of a request's caller in its canonical form, if it is known. */
export const of = (request: HttpRequest): string | undefined => {
  const address = request.address()
  return address === undefined ? undefined : canonical(address)
}
