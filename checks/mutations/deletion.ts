import { mutations, type Mutation } from "./Mutation.ts"

/** Who may delete which key. */
export const deletion: ReadonlyArray<Mutation> = [
  ...mutations("service/src/Handlers.ts", "service/test/Service.test.ts", {
    "a key deletes itself": ["keyId === key.id", "false"],
    "a key that is not there is deleted": ['outcome === "not-found"', "false"],
    "a deletion that was not made is acknowledged": ['outcome === "caller-inactive"', "false"]
  }),
  ...mutations("service/src/Service.ts", "service/test/Service.test.ts", {
    "a key reaches into a foreign organization": ["organizationId === key.organizationId", "true"],
    "a foreign organization is answered with 404": [
      'new CloudError.Forbidden({ message: "FORBIDDEN',
      'new (CloudError.refusal("ApiKeyNotFound", 404))({ message: "FORBIDDEN'
    ],
    "the organization in a path compares with regard to case": [
      'params["organizationId"]?.toLowerCase()',
      'params["organizationId"]'
    ]
  }),
  ...mutations("service/src/internal/input.ts", "service/test/Service.test.ts", {
    "ids compare with regard to case": ["ids(lowerCaseIds(parts.params))", "ids(parts.params)"]
  }),
  ...mutations("service/src/Handlers.ts", "service/test/Audit.test.ts", {
    "a deletion ends when its caller leaves": [
      "Effect.forkDetach(inTurn(key.id, deletion), { startImmediately: true })",
      "Effect.forkChild(inTurn(key.id, deletion), { startImmediately: true })"
    ],
    "a deletion that found nothing is recorded": [
      'outcome === "deleted" ? record',
      'outcome !== "caller-inactive" ? record'
    ]
  }),
  ...mutations("service/src/MemoryStore.ts", "service/test/Store.test.ts", {
    "memory: a caller that was deleted still deletes": [
      "callerKey === undefined || !isActive(callerKey, Expiry.now(clock))",
      "callerKey !== undefined && !isActive(callerKey, Expiry.now(clock))"
    ],
    "memory: a caller that is disabled or expired still deletes": [" || !isActive(callerKey, Expiry.now(clock))", ""],
    "memory: a key of another tenant is deleted": [
      "apiKeys.get(id)?.organizationId !== organizationId",
      "!apiKeys.has(id)"
    ],
    "memory: a deleted key stays": ["apiKeys.delete(id)", ""],
    "memory: a caller deletes itself instead": ["apiKeys.delete(id)", "apiKeys.delete(caller)"]
  }),
  ...mutations("service/src/SqlStore.ts", "service/test/Store.test.ts", {
    "SQL: a caller that was deleted still deletes": [
      "key === undefined || !isActive(key, Expiry.now(clock))",
      "key !== undefined && !isActive(key, Expiry.now(clock))"
    ],
    "SQL: a caller that is disabled or expired still deletes": [" || !isActive(key, Expiry.now(clock))", ""],
    "SQL: a key of another tenant is deleted": [
      " AND organization_id = ${organizationId} RETURNING id",
      " RETURNING id"
    ],
    "SQL: the caller is deleted instead": [
      "DELETE FROM api_keys WHERE id = ${id} AND organization_id = ${organizationId} RETURNING id",
      "DELETE FROM api_keys WHERE id = ${caller} AND organization_id = ${organizationId} RETURNING id"
    ],
    "SQL: a whole organization loses its keys": [
      "DELETE FROM api_keys WHERE id = ${id} AND organization_id = ${organizationId} RETURNING id",
      "DELETE FROM api_keys WHERE organization_id = ${organizationId} RETURNING id"
    ],
    "SQL: an endpoint is found in any organization": ["return isOwn ? lookup", "return isOwn || !isOwn ? lookup"],
    "SQL: an endpoint is found in any service": ['AND e.service_id = ${""}', "AND ${\"\"} <> ''"]
  }),
  ...mutations("service/src/SqlStore.ts", "service/test/SqlStore.test.ts", {
    "SQL: a deletion is no transaction": [
      "transaction(deleteInSteps(...args))",
      "({ effect: deleteInSteps(...args), isUndone: () => true })"
    ]
  }),
  // SQLite has one writer anyway
  ...mutations(
    "service/src/SqlStore.ts",
    "service/test/Store.PostgreSQL.test.ts > PostgreSQL [\\d.]+ > deletion of a key",
    {
      "the keys are not locked": [" ORDER BY id ${forUpdate}", ""]
    }
  ),
  ...mutations(
    "service/src/node/internal/sqlClient.ts",
    "service/test/Store.PostgreSQL.test.ts > PostgreSQL [\\d.]+ > deletion of a key",
    {
      "a deletion sees what was there before it got its lock": ['"read committed"', '"repeatable read"']
    }
  ),
  ...mutations("service/src/SqlStore.ts", "service/test/Database.test.ts > PostgreSQL [\\d.]+ > locks the two keys", {
    "two deletions wait for one another in a circle": [" ORDER BY id ${forUpdate}", " ${forUpdate}"]
  }),
  ...mutations("service/src/Store.ts", "service/test/Authentication.test.ts", {
    "a disabled key opens the service": ['key.state === "enabled" && ', ""],
    "a key opens the service at the moment of its expiry": ["nowMillis < key.expiresAt", "nowMillis <= key.expiresAt"],
    "an expired key opens the service": [
      "(key.expiresAt === undefined || nowMillis < key.expiresAt.epochMilliseconds)",
      "true"
    ]
  })
]
