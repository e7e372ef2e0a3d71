import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type * as AccessLog from "../AccessLog.ts"
import type { HttpRequest } from "../HttpRequest.ts"
import * as CallerAddress from "./callerAddress.ts"

/** What becomes known of a request on its way. */
export interface Access {
  requestId: string
  route: string | undefined
  keyId: ApiKeyId | undefined
}

type App = (request: HttpRequest, access?: Access) => Effect.Effect<HttpServerResponse>

/** The status that a log has for a caller that left: nginx's. */
const left = 499

const bytesOf = ({ method }: HttpRequest, { body, headers }: HttpServerResponse): number | undefined => {
  if (method === "HEAD" || body._tag === "Empty") return 0
  if (body._tag === "Uint8Array") return body.contentLength
  const announced = headers["content-length"]
  return announced === undefined ? undefined : Number(announced)
}

/** Records each request once it has its response, or its caller has left. */
export const recorded =
  (record: AccessLog.Recorder, app: App): App =>
  (request) =>
    Effect.clockWith((clock) => {
      const start = clock.monotonicTimeNanosUnsafe()
      const access: Access = { requestId: "", route: undefined, keyId: undefined }
      return Effect.onExit(app(request, access), (exit) =>
        record({
          ...access,
          time: clock.currentTimeMillisUnsafe(),
          method: request.method,
          status: Exit.isSuccess(exit) ? exit.value.status : left,
          durationMillis: Number(clock.monotonicTimeNanosUnsafe() - start) / 1e6,
          bytes: Exit.isSuccess(exit) ? bytesOf(request, exit.value) : 0,
          address: CallerAddress.of(request)
        })
      )
    })
