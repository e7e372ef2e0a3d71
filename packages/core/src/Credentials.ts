import * as Redacted from "effect/Redacted"

/**
 * An API key: its ID and its secret, the user-id and the password of HTTP Basic.
 *
 * **Details**
 *
 * The key ID must not contain a colon, and neither part may contain a control character (RFC 7617 §2). With such
 * credentials, building the client fails before anything is sent.
 *
 * Source: specification, section 5.
 *
 * @category models
 * @since 0.1.0
 */
export interface Credentials {
  readonly keyId: string
  readonly keySecret: Redacted.Redacted
}

/**
 * Creates credentials from values.
 *
 * **Example** (Taking the secret from a vault)
 *
 * ```ts
 * import * as Credentials from "@cloud-management/core/Credentials"
 *
 * declare const secretFromAVault: string
 * const credentials = Credentials.make("12345678-1234-1234-1234-123456789012", secretFromAVault)
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (keyId: string, keySecret: string | Redacted.Redacted): Credentials => ({
  keyId,
  keySecret: Redacted.isRedacted(keySecret) ? keySecret : Redacted.make(keySecret)
})
