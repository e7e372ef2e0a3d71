import { Child, describe, expect, isLinux, it, vi } from "../../../checks/fixtures/index.ts"
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { StatementSync } from "node:sqlite"
import * as SqliteClient from "../src/node/SqliteClient.ts"
import { Prepared } from "../src/sql/prepared.ts"
import * as SqliteFile from "./SqliteFile.ts"

const memory = SqliteClient.layer({ filename: ":memory:" })
const reason = (_tag: string) => ({ _tag: "SqlError", reason: { _tag } })

describe("the SQLite client", () => {
  it.effect.over(SqliteFile.layer)(
    "keeps in a file what it acknowledged, and never waits inside of SQLite",
    function* () {
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`PRAGMA journal_mode`.values).toStrictEqual([["wal"]])
      // MEMORY: a read-only root file system has no folder for temporary files
      expect(yield* sql`PRAGMA temp_store`.values).toStrictEqual([[2]])
      // FULL
      expect(yield* sql`PRAGMA synchronous`.values).toStrictEqual([[2]])
      expect(yield* sql`PRAGMA foreign_keys`.values).toStrictEqual([[1]])
      expect(yield* sql`PRAGMA busy_timeout`.values).toStrictEqual([[0]])
    }
  )

  it.effect.over(memory)("gives rows, values and streams, and takes what SQLite holds", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE held (a text, b integer, c real, d blob, e text)`
    const row = { a: "ä\u{1f511}", b: 2 ** 53 - 1, c: 0.5, d: new Uint8Array([1, 0, 255]), e: null }
    yield* sql`INSERT INTO held ${sql.insert([row, row])}`
    expect((yield* sql`SELECT * FROM held`).map((found) => ({ ...found }))).toStrictEqual([row, row])
    expect(yield* sql`SELECT b, b, a FROM held LIMIT 1`.values).toStrictEqual([[row.b, row.b, row.a]])
    const twoRows = sql`SELECT a FROM held`
    expect(yield* twoRows.values).toStrictEqual([[row.a], [row.a]])
    expect(yield* Stream.runCollect(twoRows.stream)).toMatchObject([{ a: row.a }, { a: row.a }])
    const large = sql<{ large: bigint }>`SELECT ${2n ** 62n} AS large`
    expect(yield* Effect.flip(large)).toMatchObject({ _tag: "SqlError" })
    const [found] = yield* Effect.provideService(large, SqlClient.SafeIntegers, true)
    expect(found?.large).toBe(2n ** 62n)
  })

  it.effect.over(memory)("prepares more statements than it keeps", function* () {
    const sql = yield* SqlClient.SqlClient
    for (const round of [1, 2]) {
      for (let n = 0; n < 250; n++) {
        expect(yield* sql.unsafe(`SELECT ${n} + ? AS n`, [round]).values).toStrictEqual([[n + round]])
      }
    }
  })

  it.effect.over(memory)("rolls back a failed transaction, and within one a failed part", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE numbers (n integer PRIMARY KEY)`
    const insert = (n: number) => sql`INSERT INTO numbers VALUES (${n})`
    const fail = (n: number) => sql.withTransaction(Effect.andThen(insert(n), Effect.fail("undone")))
    yield* Effect.flip(fail(1))
    yield* sql.withTransaction(Effect.andThen(insert(2), Effect.flip(fail(3))))
    expect(yield* sql`SELECT n FROM numbers`.values).toStrictEqual([[2]])
    expect(yield* Effect.flip(insert(2))).toMatchObject(reason("ConstraintError"))
  })

  it.effect.over(memory)("refuses what it cannot hold, and what is no SQL", function* () {
    const sql = yield* SqlClient.SqlClient
    for (const value of [undefined, true, new Date(0), {}]) {
      expect(yield* Effect.flip(sql`SELECT ${value}`)).toMatchObject(reason("UnknownError"))
    }
    expect(yield* Effect.flip(sql`SELEC`)).toMatchObject(reason("UnknownError"))
  })

  it.effect("does not open what is no database", function* () {
    const path = yield* Child.folder()
    const open = (filename: string) => Effect.flip(Effect.provide(Effect.void, SqliteClient.layer({ filename })))
    expect(yield* open(join(path, "missing", "test.db"))).toMatchObject(reason("ConnectionError"))
    writeFileSync(join(path, "text"), "no database, just text".repeat(100))
    expect(yield* open(join(path, "text"))).toMatchObject(reason("UnknownError"))
  })

  it.effect("makes files that only their owner can read, and leaves the rights of others alone", function* () {
    const [made, found] = [yield* SqliteFile.name, yield* SqliteFile.name]
    const linked = `${made}-link`
    const target = `${made}-target`
    symlinkSync(target, linked)
    writeFileSync(found, "")
    chmodSync(found, 0o640)
    const modes = Effect.fnUntraced(function* (filename: string, real = filename) {
      const sql = Context.get(yield* Layer.build(SqliteClient.layer({ filename })), SqlClient.SqlClient)
      yield* sql`CREATE TABLE written (a text)`
      return ["", "-wal", "-shm"].map((suffix) => (statSync(`${real}${suffix}`).mode & 0o777).toString(8))
    }, Effect.scoped)
    expect(yield* modes(made)).toEqual(["600", "600", "600"])
    expect(yield* modes(linked, target)).toEqual(["600", "600", "600"])
    expect(yield* modes(found)).toEqual(["640", "640", "640"])
    // a URI, and a database that ends with the client
    yield* Effect.provide(Effect.void, Layer.mergeAll(memory, SqliteClient.layer({ filename: `file:${made}?mode=rw` })))
    expect(existsSync(":memory:")).toBe(false)
  })

  it.effect.runIf(isLinux)("keeps its lock on a file that is opened again in the same process", function* () {
    const filename = yield* SqliteFile.name
    const open = Layer.build(Layer.fresh(SqliteClient.layer({ filename })))
    const isLocked = Effect.sync(() => readFileSync("/proc/locks", "utf8").includes(`:${statSync(filename).ino} `))
    const sql = Context.get(yield* open, SqlClient.SqlClient)
    yield* sql`CREATE TABLE written (a text)`
    expect(yield* isLocked).toBe(true)
    yield* open
    expect(yield* isLocked).toBe(true)
  })

  it.effect("changes nothing of what it opens, and does not open what it may not write", function* () {
    const filename = yield* SqliteFile.name
    const open = (filename: string) => Effect.provide(Effect.void, SqliteClient.layer({ filename }))
    const version = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`PRAGMA user_version`.values)
    const setVersion = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`PRAGMA user_version = 7`)
    yield* Effect.provide(setVersion, SqliteClient.layer({ filename }))
    const before = readFileSync(filename)
    expect(yield* Effect.provide(version, SqliteClient.layer({ filename }))).toStrictEqual([[7]])
    expect(readFileSync(filename).equals(before)).toBe(true)
    expect(yield* Effect.flip(open(`file:${filename}?mode=ro`))).toMatchObject({
      reason: { cause: { message: "attempt to write a readonly database" } }
    })
  })
})

/** A client of a file with an empty table, and the lock of that file. */
const locked = Effect.gen(function* () {
  const filename = yield* SqliteFile.name
  const sql = Context.get(yield* Layer.build(SqliteClient.layer({ filename })), SqlClient.SqlClient)
  yield* sql`CREATE TABLE numbers (n integer PRIMARY KEY)`
  const { release } = yield* SqliteFile.lock(filename)
  const insert = (n: number) =>
    Effect.provideService(
      sql.withTransaction(sql`INSERT INTO numbers VALUES (${n})`),
      SqlClient.BeginTransaction,
      "BEGIN IMMEDIATE"
    )
  const count = Effect.map(sql`SELECT count(*) FROM numbers`.values, (rows) => rows[0]?.[0])
  return { filename, sql, release, insert, count }
})
const start = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

describe("while another process holds the lock of the file, the SQLite client", () => {
  it.effect("reads at once, and gives each transaction 5 seconds, however many wait", function* () {
    const { count, insert } = yield* locked
    const first = yield* Effect.forEach([1, 2, 3, 4, 5], (n) => start(Effect.flip(insert(n))))
    expect(yield* count).toBe(0)
    yield* TestClock.adjust("2 seconds")
    const second = yield* Effect.forEach([6, 7, 8, 9], (n) => start(Effect.flip(insert(n))))
    for (const [fibers, wait] of [
      [first, 2999],
      [second, 1999]
    ] as const) {
      yield* TestClock.adjust(wait)
      for (const fiber of fibers) expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      for (const fiber of fibers) {
        expect(fiber.pollUnsafe()).toBeDefined()
        expect(yield* Fiber.join(fiber)).toMatchObject(reason("LockTimeoutError"))
      }
      expect(yield* count).toBe(0)
    }
  })

  it.effect("lets a prepared read wait without a turn of its own: no transaction begins within another", function* () {
    // a file system without shared memory, where readers meet locks too
    const filename = `file:${yield* SqliteFile.name}?vfs=unix-dotfile`
    const context = yield* Layer.build(SqliteClient.layer({ filename }))
    const sql = Context.get(context, SqlClient.SqlClient)
    const read = Context.get(context, Prepared)
    yield* sql`CREATE TABLE numbers (n integer PRIMARY KEY)`
    const { release } = yield* SqliteFile.lock(filename)
    const waiting = yield* start(read?.("SELECT count(*) FROM numbers")([]) ?? Effect.void)
    yield* release
    const insert = (n: number) =>
      sql.withTransaction(Effect.andThen(sql`INSERT INTO numbers VALUES (${n})`, Effect.yieldNow))
    const inserts = yield* Effect.forEach([1, 2], (n) => start(insert(n)))
    yield* TestClock.adjust("100 millis")
    for (const fiber of inserts) yield* Fiber.join(fiber)
    expect(yield* Fiber.join(waiting)).toEqual([2])
  })

  it.effect("goes on with all that wait once the lock is free, but for those that were interrupted", function* () {
    const { count, insert, release, sql } = yield* locked
    const alone = (n: number) => sql`INSERT INTO numbers VALUES (${n})`
    const fibers = yield* Effect.forEach([alone(0), insert(1), insert(2), insert(3)], start)
    yield* Fiber.interruptAll(yield* Effect.forEach([alone(4), insert(5)], start))
    expect(yield* count).toBe(0)
    yield* TestClock.adjust("4 seconds")
    yield* release
    yield* TestClock.adjust("100 millis")
    expect(fibers.map((fiber) => fiber.pollUnsafe()?._tag)).toEqual(["Success", "Success", "Success", "Success"])
    expect(yield* count).toBe(4)
  })

  it.effect("asks for it no more often when many wait", function* () {
    const { insert } = yield* locked
    const asks = Effect.fnUntraced(function* (waiting: number) {
      const fibers = yield* Effect.forEach(Array.from({ length: waiting }).keys(), (n) => start(Effect.flip(insert(n))))
      const all = vi.spyOn(StatementSync.prototype, "all")
      yield* TestClock.adjust("6 seconds")
      const count = all.mock.calls.length
      all.mockRestore()
      yield* Fiber.joinAll(fibers)
      return count
    })
    const one = yield* asks(1)
    expect(one).toBeGreaterThan(5000 / 64)
    expect(yield* asks(50)).toBeLessThan(2 * one)
  })

  it.effect("gives up opening it after 5 seconds", function* () {
    const { filename } = yield* locked
    const opening = yield* start(Effect.flip(Effect.provide(Effect.void, SqliteClient.layer({ filename }))))
    yield* TestClock.adjust(4999)
    expect(opening.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    expect(opening.pollUnsafe()).toBeDefined()
    expect(yield* Fiber.join(opening)).toMatchObject(reason("LockTimeoutError"))
  })
})
