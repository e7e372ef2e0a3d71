import * as Redacted from "effect/Redacted"
import * as ApiKeySecret from "../ApiKeySecret.ts"
import type { Seed } from "../Seed.ts"
import type { ApiKey } from "../Store.ts"

/** The records of a seed's keys, with digests in place of the secrets. */
export const seededKeys = ({ organizations }: Seed): ReadonlyArray<ApiKey> =>
  organizations.flatMap((organization) =>
    organization.apiKeys.map(({ digest, expiresAt, secret = Redacted.make(""), ...key }) => ({
      ...key,
      organizationId: organization.id,
      digest: digest === undefined ? ApiKeySecret.digest(secret) : Redacted.value(digest),
      expiresAt: expiresAt ?? undefined
    }))
  )
