import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "@cloud-management/core/Contract"

/** The OpenAPI 3.1 document of the service. */
export const document: OpenApi.OpenAPISpec = OpenApi.fromApi(Api)

/** The document as a response. */
export const openApi = Effect.sync(() => HttpServerResponse.jsonUnsafe(document))
