import * as Redacted from "effect/Redacted"
import * as ApiKeySecret from "../ApiKeySecret.ts"
import type { Seed } from "../Seed.ts"
import type { ApiKey } from "../Store.ts"

/** The keys of a seed, each with its organization. */
export const seededKeys = ({ organizations }: Seed) =>
  organizations.flatMap(({ apiKeys, id }) => apiKeys.map((key) => ({ ...key, organizationId: id })))

/** The record of such a key, with a digest in place of its secret. A million digests take seconds. */
export const apiKeyOf = ({
  digest,
  expiresAt,
  secret = Redacted.make(""),
  ...key
}: ReturnType<typeof seededKeys>[number]): ApiKey => ({
  ...key,
  digest: digest === undefined ? ApiKeySecret.digest(secret) : Redacted.value(digest),
  expiresAt: expiresAt ?? undefined
})
