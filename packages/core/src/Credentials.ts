import * as Redacted from "effect/Redacted"

/**
 * An API key: its ID and its secret, the user-id and the password of HTTP Basic.
 *
 * **Details**
 *
 * The key ID must not hold a colon, and neither part a control character (RFC 7617 §2): a client with such credentials
 * is refused when it is built, before anything is sent.
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
 * Credentials from values.
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
  keySecret: typeof keySecret === "string" ? Redacted.make(keySecret) : keySecret
})
