/**
 * Parts of a call and of a request, each by itself, and what Effect has in place of them: `npm run bench -- "a time limit"`.
 * [Decision 26](../../docs/decisions/0026-forks.md) names the differences.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SecureRandom from "effect/crypto/SecureRandom"
import "effect/schema/SchemaJITCompiler/enable"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { OrganizationId } from "@cloud-management/core/Organization"
import { memory } from "@cloud-management/service/RateLimitStore"
import * as TimeLimit from "../../packages/client/src/internal/timeLimit.ts"
import * as RequestIds from "../../packages/service/src/internal/requestIds.ts"
import { apiKeys } from "../../packages/service/src/rows/tables.ts"
import { keyId, organizationId } from "../fixtures/Tenants.ts"

const waiting = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

const random = await Effect.runPromise(Effect.provide(SecureRandom.SecureRandom, SecureRandom.layerWebCrypto))
const ids = RequestIds.make(random)

const moment = Schema.NullOr(Schema.DateTimeUtcFromMillis)
const readKey = Schema.decodeUnknownSync(
  Schema.Struct({
    id: ApiKeyId,
    organization_id: OrganizationId,
    name: Schema.String,
    digest: Schema.String,
    state: Schema.Literals(["enabled", "disabled"]),
    expires_at: moment,
    created_at: moment,
    last_used_at: moment
  })
)
const key = [keyId("a", 1), organizationId("a"), "deploy", "0".repeat(64), "enabled", null, 1e12, 1e12]
const row = Object.fromEntries(apiKeys.row.columns.map((column, n) => [column, key[n]]))

const count = memory.counter("bench", "1 hour")
let subject = 0

export const pieces: Readonly<Record<string, Effect.Effect<unknown, unknown>>> = {
  "a time limit of ours": TimeLimit.within(waiting, 10_000, () => {}),
  "a time limit of Effect": Effect.timeout(waiting, 10_000),
  "a request ID of ours": Effect.suspend(() => (ids.next() === undefined ? ids.draw : Effect.void)),
  "a request ID of Effect": Effect.suspend(() => random.uuidV4()),
  "a key's row by hand": Effect.sync(() => apiKeys.row.read(key)),
  "a key's row by a schema": Effect.sync(() => readKey(row)),
  "a request that is counted": Effect.suspend(() => count(String(subject++ % 100)))
}
