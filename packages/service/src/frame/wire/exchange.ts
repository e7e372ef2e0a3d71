import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type { HttpRequest } from "../HttpRequest.ts"

export interface Route {
  /** Its template, as in `/v1/organizations/:organizationId`. */
  readonly path: string
  /** The same as OpenAPI, logs and telemetry write it: `/v1/organizations/{organizationId}`. */
  readonly template: string
  /** Whether monitoring calls it all the time: it is not traced. */
  readonly isProbe: boolean
}

export interface Exchange {
  readonly request: HttpRequest
  readonly requestId: string
  /** `undefined` if the request is malformed, or fits none. */
  readonly route: Route | undefined
  readonly params: Readonly<Record<string, string>>
  /** The key that it was authenticated with. */
  keyId: ApiKeyId | undefined
}
