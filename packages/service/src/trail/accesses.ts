import * as Exit from "effect/Exit"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as AccessLog from "../AccessLog.ts"
import type { HttpRequest } from "../HttpRequest.ts"
import * as Address from "../wire/address.ts"
import type { Exchange } from "../wire/exchange.ts"

/** The status that a log has for a caller that left: nginx's. */
const left = 499

const bytesOf = ({ method }: HttpRequest, { body, headers }: HttpServerResponse): number | undefined => {
  if (method === "HEAD" || body._tag === "Empty") return 0
  if (body._tag === "Uint8Array") return body.contentLength
  const announced = headers["content-length"]
  return announced === undefined ? undefined : Number(announced)
}

/** The entry of a request that has its response, or whose caller has left. */
export const entryOf = (
  { keyId, request, requestId, route }: Exchange,
  exit: Exit.Exit<HttpServerResponse>,
  time: number,
  durationMillis: number,
  isCutOff: boolean
): AccessLog.Entry => ({
  requestId,
  route: route?.template,
  keyId,
  time,
  method: request.method,
  status: Exit.isSuccess(exit) ? exit.value.status : isCutOff ? undefined : left,
  durationMillis,
  bytes: Exit.isSuccess(exit) ? bytesOf(request, exit.value) : 0,
  address: Address.ofCaller(request)
})
