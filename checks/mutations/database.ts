import { mutations, type Mutation } from "./Mutation.ts"

/** How the databases wait, what counts as ready, and what an operator learns. */
export const database: ReadonlyArray<Mutation> = [
  ...mutations("service/src/internal/uses.ts", "service/test/Uses.test.ts > the last use", {
    "each request records the use of its key": [
      "if (lastUsedAt !== undefined && lastUsedAt.epochMilliseconds >= hour) return",
      ""
    ],
    "a use is recorded in the hour in which it is written": ["DateTime.makeUnsafe(hour)", "DateTime.nowUnsafe()"],
    "uses are forgotten when the store is away": ["new Map([...uses, ...waiting])", "waiting"],
    "each failed attempt to record uses is logged": ["if (isAway) return Effect.void", ""],
    "the last uses are lost when the service ends": [
      "Effect.ignore(Effect.timeoutOption(",
      "Effect.suspend(() => true ? Effect.void : Effect.timeoutOption("
    ],
    "a store that says nothing holds up the end of the service": [
      "Effect.timeoutOption(Effect.interruptible(recorded), patience)",
      "recorded"
    ]
  }),
  ...mutations("service/src/SqlStore.ts", "service/test/Uses.test.ts > on", {
    "each node writes the last use of a key": ["AND (last_used_at IS NULL OR last_used_at < ${millis})", ""],
    "the last use of a key waits for a transaction on another": ["${forUpdateOfFree}", "${forUpdate}"]
  }),
  ...mutations(
    "service/src/Migrations.ts",
    "cli/test/upgrade.test.ts > a node of this version goes on, and another does not start, > unless",
    {
      "an upgrade waits for a dump without a limit": ["yield* limitLocks", ""]
    }
  ),
  ...mutations("service/src/node/internal/sqlClient.ts", "service/test/Database.test.ts > a database is named by", {
    "a URL in quotes is taken for a path": ['where.includes("://")', "false"],
    "a URL without a scheme is taken for a path": ["/^[^:]*:[^]*@/.test(where)", "false"],
    "a connection string in quotes is taken for a path": ["/password *=/i.test(where)", "false"],
    "two slashes without a scheme begin a path": ["(?!\\/)", ""],
    "white space before a URL makes it a path": ["text.trim()", "text"]
  }),
  ...mutations("cli/src/database.ts", "cli/test/secrets.test.ts > a password in a mistyped URL", {
    "a path that can be a URL with a password is quoted": ['"the file"', "path"]
  }),
  ...mutations("cli/src/database.ts", "cli/test/usage.test.ts > a database URL", {
    "a server that speaks HTTP is a PostgreSQL that is away": ["if (isForeign(error))", "if (false)"]
  }),
  ...mutations("cli/src/database.ts", "cli/test/usage.test.ts > a database whose disk", {
    "a full disk is a wrong setting, after which nothing restarts serve": [
      "if (ofDisk.has(error.message)) return",
      "if (error.message === database) return"
    ]
  }),
  ...mutations("cli/src/admin/administration.ts", "cli/test/session.test.ts > an act that meets a full disk", {
    "a command that only reads may have changed something": [
      "Database.failureOfReading(database)",
      "Database.failureOf(database)"
    ]
  }),
  ...mutations("cli/src/setting.ts", "cli/test/secrets.test.ts > white space", {
    "white space around a URL counts": ["given.trim()", "given"]
  }),
  ...mutations("service/src/internal/dialect.ts", "service/test/Database.test.ts > PostgreSQL", {
    "a missing right on audit records shows at the first act": [
      "INSERT INTO audit_records (time, event, fields) SELECT 0, '', '' WHERE false",
      "SELECT 1"
    ]
  }),
  ...mutations("cli/src/operator.ts", "cli/test/rights.test.ts", {
    "an act that was denied is in doubt": [" && error.isUndone !== true", ""]
  }),
  ...mutations("cli/src/database.ts", "cli/test/rights.test.ts", {
    "an act that was denied is to be tried again": [
      "if (isServer && remedy(error, database) !== undefined)",
      "if (false)"
    ]
  }),
  ...mutations(
    "service/src/internal/sqlTrail.ts",
    "service/test/SqlStore.test.ts > a SQL store > lists audit records",
    {
      "audit records since a moment are found by reading all": ["ORDER BY time DESC LIMIT", "ORDER BY id DESC LIMIT"]
    }
  ),
  ...mutations("service/src/internal/collections.ts", "service/test/SqlStore.test.ts > a SQL store > lists records", {
    "a list waits for who writes": ["answer(reading(", "answer(transaction("]
  }),
  ...mutations("service/src/internal/collections.ts", "service/test/Administration.test.ts", {
    "the deletion of old audit records cannot be interrupted": [
      "if (!isFirst && Exit.isFailure(yield* Effect.exit(Effect.interruptible(Effect.yieldNow)))) return count",
      ""
    ]
  }),
  ...mutations("service/src/SqlStore.ts", "service/test/Store.test.ts > SQLite in memory", {
    "an earlier use takes the place of a later one": ["OR last_used_at < ${millis})", "OR true)"]
  }),
  ...mutations("service/src/node/SqliteClient.ts", "service/test/SqliteClient.test.ts", {
    "SQLite: the whole process waits for a foreign lock": ["timeout: 0", "timeout: 1000"],
    "SQLite: what waits for a lock keeps the connection": [
      `Effect.acquireUseRelease(
      semaphore.release(1),
      () => Effect.interruptible(Effect.sleep(millis)),
      () => semaphore.take(1)
    )`,
      "Effect.sleep(millis)"
    ],
    "SQLite: a wait for a lock cannot be interrupted": [
      "() => Effect.interruptible(Effect.sleep(millis))",
      "() => Effect.uninterruptible(Effect.sleep(millis))"
    ],
    "SQLite: a lock is waited for without end": ["if (left <= 0) return yield* error", ""],
    "SQLite: a lock is not waited for": ["isLocked(failure) && !isTransaction()", "false"],
    "SQLite: a prepared read waits for a lock out of its turn": ["acquirers.borrower(() => step(read))", "step(read)"],
    "SQLite: each of many that wait asks for the lock": ["at - locked.at < 2", "false"],
    "SQLite: a file that is locked is not opened later": [
      "Effect.catchIf(Effect.fromResult(configure()), isLocked, (error) => insist(configure, Effect.sleep, error))",
      "Effect.fromResult(configure())"
    ],
    "SQLite: a new file can be read by all": ["yield* create(filename)", ""],
    "SQLite: a file that is opened twice loses its locks": [" || existsSync(filename)", ""]
  }),
  ...mutations("service/src/Migrations.ts", "service/test/Database.test.ts > a server that", {
    "a server that does not answer is waited for twice": [
      "Effect.catchIf(version, isMissingTable, () => Effect.andThen(create",
      "Effect.catchIf(version, () => true, () => Effect.andThen(create"
    ]
  }),
  ...mutations(
    "service/src/node/RedisRateLimitStore.ts",
    "service/test/RateLimitStore.test.ts > services that count in one Redis [\\d.]+ > notice without",
    {
      "a Redis that hangs is noticed late": ["socketTimeout: 1.5 * millis", "socketTimeout: 2 * millis"]
    }
  ),
  ...mutations("service/src/SqlStore.ts", "service/test/SqlStore.test.ts > a store in SQLite is ready", {
    "ready without the keys": [
      "LEFT JOIN (SELECT ${apiKeyColumns} FROM api_keys ORDER BY id LIMIT 1) AS k ON true",
      ""
    ],
    "ready without the organizations": [
      "LEFT JOIN (SELECT ${organizationColumns} FROM organizations ORDER BY id LIMIT 1) AS o ON true",
      ""
    ],
    "ready without the endpoints": [
      "LEFT JOIN (SELECT ${endpointColumns} FROM reverse_private_endpoints\n      ORDER BY organization_id, service_id, id LIMIT 1) AS e ON true",
      ""
    ],
    "ready with a disk that rejects writes": ["Effect.andThen(read, tryWriting)", "read"]
  }),
  ...mutations("service/src/internal/collections.ts", "service/test/Administration.test.ts > an operator of SQLite", {
    "an export ends after a page": ["if (rows.length < trail.page) return found", "return found"]
  }),
  ...mutations(
    "service/src/internal/sqlAdministration.ts",
    "service/test/Administration.test.ts > an operator, over SQLite",
    { "SQL: a key that is disabled is rotated": ["if (!wasActive) return", "if (clock === undefined) return"] }
  ),
  ...mutations("service/src/Seed.ts", "service/test/Seed.test.ts", {
    "an ID names one service of all organizations": [
      "key: `${organization.id} ${service.id}`, path",
      "key: service.id, path"
    ],
    "an ID names one endpoint of all services": ["`${organization.id} ${service.id} ${id}`", "id"]
  }),
  ...mutations("service/src/Moment.ts", "service/test/Seed.test.ts", {
    "an offset leads to a year of five digits": ["/^\\d{4}-/.test(DateTime.formatIso(moment))", "true"]
  }),
  ...mutations("service/src/internal/wellFormed.ts", "service/test/WebHandler.test.ts", {
    "a body that no header announces is none": ["request.hasContent === true || ", ""]
  }),
  ...mutations("service/src/MemoryStore.ts", "service/test/Administration.test.ts > an operator, over memory,", {
    "memory: a key that is disabled is rotated": [
      "if (!isActive(current, Expiry.now(clock))) return yield* new KeyInactive({ id })",
      ""
    ],
    "memory: an operator finds records under another owner": [
      "owners.every((name) => record[name] === owner[name])",
      "owners.length >= 0 || record === owner"
    ],
    "memory: an operator moves a record": ["{ ...f(current), ...path }", "f(current)"],
    "memory: an operator adds to an owner that does not exist": [
      "const missing = missingOwner(added)",
      "const missing = undefined"
    ],
    "memory: an operator replaces a record by another of the same ID": ["if (records.has(keyOf(added)))", "if (false)"]
  }),
  ...mutations("service/src/internal/dialect.ts", "service/test/SqlStore.test.ts > a store in SQLite is ready", {
    "SQLite: readiness waits for a foreign lock": ['    Effect.timeoutOption("100 millis")', ""]
  }),
  ...mutations("service/src/node/internal/databaseFile.ts", "service/test/Database.test.ts > a SQLite file", {
    "SQLite: a file that was removed is written to": ["found.id !== last?.id", "false"]
  }),
  ...mutations("service/src/node/internal/postgres.ts", "service/test/Database.test.ts > PostgreSQL [\\d.]+ > ", {
    "PostgreSQL: a transaction that was rolled back is committed": ['result.command === "ROLLBACK"', "false"],
    "PostgreSQL: a look-up has no span": ["fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer", "true"],
    "PostgreSQL: each read of a turn is sent in a write of its own": ["(reads.size === maxReads)", "(reads.size > 0)"]
  }),
  ...mutations(
    "service/src/node/internal/postgres.ts",
    "service/test/Database.test.ts > PostgreSQL [\\d.]+ > has its connections back",
    {
      "PostgreSQL: reads keep their connection": ["if (reads.size === 0)", "if (reads.size === -1)"],
      "PostgreSQL: reads that are interrupted keep their connection": [
        "reads.delete(fiber)",
        'if (exit._tag === "Success") reads.delete(fiber)'
      ]
    }
  ),
  ...mutations(
    "service/src/internal/dialect.ts",
    "service/test/Database.test.ts > PostgreSQL [\\d.]+ > is ready only",
    {
      "PostgreSQL: ready on a standby": ["sql.literal(nothing)", 'sql.literal("")']
    }
  ),
  ...mutations("service/src/Service.ts", "service/test/Service.test.ts > readiness", {
    "each request for readiness asks the store": ["if (Windows.now(clock) < staleAt) return asked", ""],
    "readiness goes by the wall clock": ["Windows.now(clock) < staleAt", "clock.currentTimeMillisUnsafe() < staleAt"],
    "who asks for readiness and leaves ends it for others": [
      "Effect.flatMap(Effect.forkDetach(checked, { startImmediately: true }), Fiber.join)",
      "checked"
    ]
  }),
  ...mutations("service/src/Service.ts", "service/test/Service.test.ts > a store that is corrupt", {
    "a corrupt store is said to be away for now": ["error.isCorrupt", "false"]
  }),
  ...mutations("service/src/internal/corruption.ts", "service/test/SqlStore.test.ts > a store whose database fails", {
    "SQLite: a damaged file passes for one that is away": ["[11, 26]", "[26]"]
  }),
  ...mutations(
    "service/src/internal/corruption.ts",
    "service/test/Database.test.ts > PostgreSQL [\\d.]+ > says whether",
    {
      "PostgreSQL: damaged content passes for an outage": ['error.code === "XX001" || error.code === "XX002"', "false"]
    }
  ),
  ...mutations("cli/src/operator.ts", "cli/test/session.test.ts > a seed that", {
    "a seed that was not confirmed leaves no record": ['error._tag === "StoreUnavailable"', "false"],
    "an interrupted seed leaves no record": ["}, Effect.uninterruptible)", "})"]
  })
]
