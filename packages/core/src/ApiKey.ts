import * as Schema from "effect/Schema"
import * as Refusals from "./Refusals.ts"
import { identifier, Uuid } from "./internal/uuid.ts"

/**
 * Identifies the record of an API key within its organization: a UUID of any version.
 *
 * **Details**
 *
 * This is what `DELETE …/keys/{keyId}` addresses.
 *
 * Source: specification, section 2.4; the other fields of the record are not specified.
 *
 * **Gotchas**
 *
 * It may differ from the key ID of {@link Credentials}. On this project's service the two are the same string; on other
 * services with this API they differ.
 */
export const ApiKeyId = Uuid.pipe(Schema.brand("ApiKeyId"), identifier)
/** Identifies the record of an API key within its organization. */
export type ApiKeyId = typeof ApiKeyId.Type

/** 404: the key does not exist in the organization, or no longer exists. */
export class ApiKeyNotFound extends Refusals.make("ApiKeyNotFound", 404) {}
