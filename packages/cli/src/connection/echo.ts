import * as Redacted from "effect/Redacted"
import type { Basic } from "@cloud-management/core/Credentials"
import * as SecretFinder from "@cloud-management/core/SecretFinder"

/**
 * Finds 8 characters of the secret in a value before it is shown. The client's errors contain no secret, but successful
 * responses are shown unchanged.
 */
export const finder = ({ keySecret }: Basic): ((value: unknown) => boolean) => {
  const secret = Redacted.value(keySecret)
  const finder = SecretFinder.make()
  // all of a shorter one is in ordinary text
  if (secret.length >= 8) finder.add(secret)
  return (value) => {
    let found = false
    JSON.stringify(value, (_, part: unknown) => {
      found ||= typeof part === "string" && finder.finds(part)
      return part
    })
    return found
  }
}
