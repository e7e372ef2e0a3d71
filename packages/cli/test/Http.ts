import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import { organizationId } from "../../service/test/StoreContract.ts"

/** A request on behalf of a key of `withKeys`. */
export const send = (
  url: string,
  method: "GET" | "DELETE",
  path: string,
  key: ApiKeyId,
  more?: Readonly<Record<string, string>>
) =>
  Effect.promise(async () => {
    const headers = { ...more, authorization: `Basic ${Base64.encode(`${key}:secret`)}` }
    const response = await fetch(`${url}${path}`, { method, headers })
    await response.text()
    return response
  })

/** The status of a read on behalf of a key. */
export const read = (url: string, key: ApiKeyId) =>
  Effect.map(send(url, "GET", "/v1/organizations", key), ({ status }) => status)

/** The status of the deletion of a key on behalf of another one of its tenant, whose letter IDs begin with. */
export const remove = (url: string, key: ApiKeyId, caller: ApiKeyId, more?: Readonly<Record<string, string>>) =>
  Effect.map(
    send(url, "DELETE", `/v1/organizations/${organizationId(key.charAt(0))}/keys/${key}`, caller, more),
    ({ status }) => status
  )
