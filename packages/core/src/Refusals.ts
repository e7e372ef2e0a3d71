import * as CallError from "@cloud-management/client/CallError"
import * as Envelope from "@cloud-management/client/Envelope"

/**
 * Creates the class of a refusal of this API, which has the form `CODE: message` in an envelope.
 *
 * **Example** (Declaring a refusal with status 409)
 *
 * ```ts
 * import * as Refusals from "@cloud-management/core/Refusals"
 *
 * class Conflict extends Refusals.make("Conflict", 409) {}
 * ```
 */
export const make = <const Tag extends string, const Status extends CallError.Status>(
  tag: Tag,
  status: Status
): CallError.RefusalClass<Tag, Status> => CallError.refusal(tag, status, Envelope.refusal)

/** 400: the service cannot process the request, for example because it would delete the key in use. */
export class BadRequest extends make("BadRequest", 400) {}
/** 401: the credentials do not belong to an active key. */
export class Unauthorized extends make("Unauthorized", 401) {}
/** 403: the key belongs to another organization. */
export class Forbidden extends make("Forbidden", 403) {}
/** 429: the key has used up its rate limit. */
export class RateLimited extends make("RateLimited", 429) {}
/** 500: the service failed, possibly after it did the work. */
export class InternalError extends make("InternalError", 500) {}
/** 503: the service, or something it depends on, is temporarily unavailable. */
export class ServiceUnavailable extends make("ServiceUnavailable", 503) {}

/** The refusals that every operation can fail with. */
export const commonRefusals = [
  BadRequest,
  Unauthorized,
  Forbidden,
  RateLimited,
  InternalError,
  ServiceUnavailable
] as const
