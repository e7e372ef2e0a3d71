import { mutations, type Mutation } from "./Mutation.ts"

const sqlite = "service/test/Administration.test.ts > an operator, over SQLite in memory, > "
const memory = "service/test/Administration.test.ts > an operator, over memory, > "
const restored = "service/test/Revocations.test.ts"

/** What is recorded of acts, and revoked again after a restore. */
export const audit: ReadonlyArray<Mutation> = [
  ...mutations("cli/src/admin/audit.ts", "cli/test/audit.test.ts > admin audit reapply", {
    "a file without records reapplies nothing": ["if (from === undefined || to === undefined)", "if (false)"],
    "records whose times contradict the lines are reapplied without a warning": ["unsure.length > 0", "false"]
  }),
  ...mutations("cli/src/utf8.ts", "cli/test/audit.test.ts > admin audit reapply", {
    "a file in another encoding holds no records": ["fatal: true", "fatal: false"],
    "a file that ends within a character is read": [
      "Stream.concat(Stream.mapEffect(bytes, decode), Stream.fromEffect(Effect.suspend(() => decode())))",
      "Stream.mapEffect(bytes, decode)"
    ],
    "UTF-16 without a mark holds no records": ['!text.includes("\\0")', "true"]
  }),
  ...mutations("cli/src/admin/keys.ts", "cli/test/admin.test.ts > admin > rotates a key", {
    "the successor of a key that has expired works": ["isExpired(current, now)", "false"],
    "a key that was rotated gives its overlap as the lifetime": ['newest?.audit === "key.rotated"', "false"]
  }),
  ...mutations("service/src/Audit.ts", "cli/test/audit.test.ts > admin audit > reapplies nothing of a file", {
    "a record in a string is left out": ['/"audit\\\\*" *:/', '/"audit" *:/'],
    "a record within other JSON is left out": [
      'return mark.test(line)\n      ? Effect.fail(new InvalidRecord({ message: "a record',
      'return false\n      ? Effect.fail(new InvalidRecord({ message: "a record'
    ]
  }),
  ...mutations("service/src/internal/collections.ts", `${sqlite}finds the record`, {
    "SQL: a creation leaves no record": [
      "yield* new AlreadyExists({ kind, id: record.id })\n        yield* trail.append(entry)",
      "yield* new AlreadyExists({ kind, id: record.id })"
    ],
    "SQL: a deletion by an operator leaves no record": [
      "if (!Array.isReadonlyArrayNonEmpty(gone)) return yield* new NotFound({ kind, id: path.id })\n        yield* trail.append(entry)",
      "if (!Array.isReadonlyArrayNonEmpty(gone)) return yield* new NotFound({ kind, id: path.id })"
    ],
    "SQL: a change leaves no record": [
      "SET ${sql.update(values)} WHERE ${at}`\n        yield* trail.append(entry)",
      "SET ${sql.update(values)} WHERE ${at}`"
    ]
  }),
  ...mutations("service/src/SqlStore.ts", `${sqlite}finds the record of a deletion`, {
    "SQLite: a deletion by the API leaves no record": [
      "yield* sql`INSERT INTO audit_records ${sql.insert(trail.rowOf(entry, clock.currentTimeMillisUnsafe()))}`",
      ""
    ]
  }),
  ...mutations("service/src/SqlStore.ts", "service/test/Store.PostgreSQL.test.ts > an operator", {
    "PostgreSQL: a deletion by the API leaves no record": ["FROM active, deleted", "FROM active, deleted WHERE false"]
  }),
  ...mutations("service/src/SqlStore.ts", `${sqlite}finds the record of a seed`, {
    "SQL: a seed that was not taken is recorded": ["if (empty && entry !== undefined)", "if (entry !== undefined)"]
  }),
  ...mutations("service/src/SqlStore.ts", `${sqlite}is not filled once`, {
    "SQL: a database whose last organization was deleted is seeded again": [
      " UNION ALL SELECT 1 FROM audit_records LIMIT 1",
      " LIMIT 1"
    ]
  }),
  ...mutations("service/src/MemoryStore.ts", `${memory}is not filled once`, {
    "memory: a store whose last organization was deleted is seeded again": [" || trail.all().length > 0", ""]
  }),
  ...mutations("service/src/MemoryStore.ts", `${memory}finds the record`, {
    "memory: a deletion by the API leaves no record": [
      "apiKeys.delete(id)\n            trail.append(entry, now)",
      "apiKeys.delete(id)"
    ],
    "memory: a seed leaves no record": ["if (entry !== undefined) trail.append(entry, now)", ""]
  }),
  ...mutations(
    "service/src/internal/sqlTrail.ts",
    "service/test/Administration.test.ts > an operator of SQLite in memory > finds however many",
    {
      "SQL: a record is found twice": ["WHERE id > ${after} ORDER", "WHERE id >= ${after} ORDER"]
    }
  ),
  ...mutations(
    "service/src/internal/collections.ts",
    "service/test/Administration.test.ts > an operator of SQLite in memory > finds however many",
    {
      "SQL: prune leaves a record between two passes": [
        "after = Math.max(...deleted.map(({ id }) => id))",
        "after += 1001"
      ]
    }
  ),
  ...mutations("service/src/internal/sqlTrail.ts", `${sqlite}deletes old records`, {
    "SQL: prune deletes the newest": [
      "AND time < ${before.epochMilliseconds}",
      "AND time > ${before.epochMilliseconds}"
    ]
  }),
  ...mutations("service/src/internal/collections.ts", `${sqlite}deletes a service and an organization`, {
    "SQL: an organization that is not empty is deleted, or breaks the database": [
      "return yield* new InUse({ kind, id: path.id })",
      "return"
    ]
  }),
  ...mutations("service/src/internal/sqlAdministration.ts", `${sqlite}rotates a key`, {
    "SQL: half of a rotation stays": ["      atomically(\n", "      ((acts) => acts)(\n"]
  }),
  ...mutations("service/src/internal/content.ts", `${sqlite}rotates a key`, {
    "a rotation lets a key live longer": ["DateTime.min(key.expiresAt, expiresAt)", "expiresAt"]
  }),
  ...mutations("service/src/Migrations.ts", "service/test/SqlStore.test.ts > a SQL store", {
    "newer tables are accepted": ["if (found > supported) return", "if (found < 0) return"],
    "older tables are read": ["if (found !== supported) return", "if (found > supported) return"]
  }),
  ...mutations("cli/src/admin/administration.ts", "cli/test/audit.test.ts > an admin command that reads", {
    "a command that reads makes tables": ["Database.layerExisting(database)", "Database.layer(database)"]
  }),
  ...mutations("service/src/Seed.ts", "service/test/Seed.test.ts > a seed that is read > has a value where", {
    "a key that is restored without its age seems to be new": [
      "Schema.NullOr(Moment).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))\n}).check(",
      "Schema.NullOr(Moment).pipe(Schema.withDecodingDefaultKey(now))\n}).check("
    ]
  }),
  ...mutations("service/src/internal/accesses.ts", "service/test/AccessLog.test.ts", {
    "a request that the service cut off counts as left by its caller": ["isCutOff ? undefined : left", "left"]
  }),
  ...mutations("service/src/Revocations.ts", restored, {
    "a key that was enabled again is disabled": ["disabled: false } : before", "disabled: true } : before"],
    "an act in doubt gives a key back": [
      "return isSure ? { ...before, disabled: false } : before",
      "return { ...before, disabled: false }"
    ],
    "an expiry in doubt puts off another one": ["expiresAt: earlier(before.expiresAt, moment)", "expiresAt: moment"],
    "a rotation puts off an expiry": ["isSure && audit !== events.keyRotated", "isSure"],
    "records count in the order of the file": [
      ".toSorted((a, b) => a.time.epochMilliseconds - b.time.epochMilliseconds)",
      ""
    ],
    "times count before IDs": ["inOrder(records) ?? records", "records"],
    "IDs count also if records lack them": ["record.id !== undefined && ", ""],
    "IDs count also if they are those of two databases": ["Equal.equals(byId.get(record.id), record)", "true"],
    "a key that a clock ahead made is not deleted": ["later(before.createdAt, time)", "time"],
    "a key made after the deletion of another with its ID is deleted": [
      "(key.createdAt === undefined || DateTime.isLessThanOrEqualTo(key.createdAt, deletedAt))",
      "true"
    ],
    "an expiry is put off": ["key.expiresAt === undefined || DateTime.isLessThan(expiresAt, key.expiresAt)", "true"]
  })
]
