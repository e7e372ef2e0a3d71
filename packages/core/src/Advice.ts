import type { ClientReason } from "@cloud-management/client/CallError"
import type * as Operation from "@cloud-management/client/Operation"
import type { operations } from "./Operations.ts"

type Operations = {
  [Group in keyof typeof operations]: (typeof operations)[Group][keyof (typeof operations)[Group]]
}[keyof typeof operations]

type Reason = ClientReason["_tag"] | Operation.Refusals<Operations>["_tag"]

/**
 * Tells people in one sentence what to do about each reason.
 *
 * **Details**
 *
 * `docs/library/errors.md` and the command show the same sentences.
 *
 * **Example** (Showing what to do)
 *
 * ```ts
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 * import * as Advice from "@cloud-management/core/Advice"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 *
 * const program = CloudManagement.CloudManagement.pipe(
 *   Effect.flatMap((cloud) => cloud.organizations.list()),
 *   Effect.tapError(({ message, reason }) => Console.error(`${message}\n${Advice.byReason[reason._tag]}`))
 * )
 * ```
 */
export const byReason: Readonly<Record<Reason, string>> = {
  BadRequest: "Correct the request as the message says: the same request would be rejected again.",
  Unauthorized: "Check the ID and the secret of the key; disabled, expired and deleted keys are also refused.",
  Forbidden: "Use a key of the organization that the call names: a key works only in its own organization.",
  ApiKeyNotFound: "Check the IDs of the organization and of the key; the key may already have been deleted.",
  ReversePrivateEndpointNotFound: "Check the IDs of the organization, of the service and of the endpoint.",
  RateLimited:
    "Wait before the next call, for the time that the service states, if any; pacing keeps later calls within the limit.",
  InternalError: "Try again later; if it keeps failing, give the request ID to the operator of the service.",
  ServiceUnavailable: "Try again later, after the time that the service states, if any.",
  InvalidInput: "Correct the field that the message names: nothing was sent.",
  UnexpectedStatus:
    "Check the base URL, and the gateways and proxies in between: one of them may have sent the response.",
  InvalidResponse:
    "Check the base URL; if the response comes from the service, look for a newer version of the client, or correct the operation: by a patch of the document, or with Operation.make({ ...op, success }).",
  TransportFailed: "Check the base URL, the network, the proxy and the certificate: the message names the problem.",
  Timeout: "Try again later, or allow the attempt and the call more time.",
  Throttled: "Call less often, or allow the call more time: the client's own pacing held it back."
}
