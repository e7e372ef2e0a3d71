import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { Unauthorized } from "@cloud-management/core/Refusals"
import * as ApiKeySecret from "../ApiKeySecret.ts"
import type { ApiKey } from "../KeyStore.ts"
import type { Value } from "../telemetry/measures.ts"

/** One response for an absent, malformed or foreign scheme, an unknown key and a wrong secret: none can be told apart. */
export const unknown = new Unauthorized({ message: "UNAUTHORIZED: Key is not found" })
/** Only for a caller that knows the secret. */
export const inactive = new Unauthorized({ message: "UNAUTHORIZED: Key is not active" })

const isKeyId = Schema.is(ApiKeyId)

export interface Credentials {
  readonly isGiven: boolean
  /** The user name, in lower case, if it has the form of a key's ID. */
  readonly keyId: ApiKeyId | undefined
  /** SHA-256 of the secret, which is not kept; that of nothing if there is none. */
  readonly hash: string
}

const anonymous = { keyId: undefined, secret: new Uint8Array() }

/** The bytes of padded base64 (RFC 4648 §4), each as a character. */
const decode = (encoded: string): string | undefined => {
  // without its padding, `atob` takes it too
  if (encoded.length % 4 !== 0) return undefined
  try {
    return atob(encoded)
  } catch {
    return undefined
  }
}

/** RFC 7617 §2. The bytes of a secret are hashed as they are, so what is not UTF-8 is the secret of no key. */
const parse = (header: string) => {
  const encoded = /^basic +(\S+) *$/i.exec(header)?.[1]
  const decoded = encoded === undefined ? undefined : decode(encoded)
  const colon = decoded?.indexOf(":") ?? -1
  if (decoded === undefined || colon === -1) return anonymous
  const id = decoded.slice(0, colon).toLowerCase()
  const secret = new Uint8Array(decoded.length - colon - 1)
  for (let n = 0; n < secret.length; n++) secret[n] = decoded.charCodeAt(colon + 1 + n)
  return { keyId: isKeyId(id) ? id : undefined, secret }
}

export const read = (header: string | undefined): Credentials => {
  const { keyId, secret } = header === undefined ? anonymous : parse(header)
  return { isGiven: header !== undefined, keyId, hash: ApiKeySecret.hash(secret) }
}

export interface Refusal {
  readonly refusal: Unauthorized
  readonly reason: Value<"unauthenticated">
}

/** Whether a key is valid at a moment. */
export const isActive = (key: Pick<ApiKey, "state" | "expiresAt">, nowMillis: number): boolean =>
  key.state === "enabled" && (key.expiresAt === undefined || nowMillis < key.expiresAt.epochMilliseconds)

const none = "0".repeat(64)

/**
 * Whether a digest is a hash, compared in constant time.
 *
 * **Details**
 *
 * Without a digest (unknown key), it does the same work and returns `false`.
 */
export const matches = (hash: string, digest: string | undefined): boolean => {
  const expected = digest ?? none
  let difference = hash.length ^ expected.length
  for (let n = 0; n < hash.length; n++) difference |= hash.charCodeAt(n) ^ expected.charCodeAt(n)
  return difference === 0 && digest !== undefined
}

/** Whether credentials are those of the key with their ID. An unknown key costs the same comparison as a wrong secret. */
export const verify = ({ hash, isGiven, keyId }: Credentials, key: ApiKey | undefined, nowMillis: number) => {
  const refused = (reason: Refusal["reason"], refusal: Unauthorized) => Result.fail({ reason, refusal })
  if (!matches(hash, key?.digest) || key === undefined) {
    if (!isGiven) return refused("no credentials", unknown)
    if (keyId === undefined) return refused("malformed credentials", unknown)
    return refused(key === undefined ? "unknown key" : "wrong secret", unknown)
  }
  if (isActive(key, nowMillis)) return Result.succeed(key)
  return refused(key.state === "disabled" ? "disabled key" : "expired key", inactive)
}
