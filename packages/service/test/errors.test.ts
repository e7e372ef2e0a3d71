import { expect, it } from "vitest"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { Administration, KeyStore } from "@cloud-management/service"
import { Database } from "@cloud-management/service/node"
import { isRefusedByServer, remedyOf } from "../src/sql/failure.ts"

const record = { kind: "key", id: "k1" } as const

it.each([
  [new Administration.NotFound(record), "there is no key k1"],
  [new Administration.AlreadyExists(record), "another key has the ID k1"],
  [new Administration.InUse(record), "the key k1 is not empty"],
  [new Administration.KeyInactive(record), "the key k1 is disabled or has expired"],
  [new Database.UnsupportedSchema({ version: 0, supported: 2 }), "the database has no tables of the service"],
  [new KeyStore.StoreUnavailable({ cause: new Error("the disk is full") }), "the disk is full"]
])("the message of $_tag crosses to another thread", (error, message) => {
  expect([error.message, structuredClone(error).message]).toEqual([message, message])
})

it.each([
  ["57014", true],
  ["08006", false],
  ["40003", false],
  ["EPIPE", false]
])("a failure with the code %s says for certain that nothing was changed: %s", (code, isCertain) => {
  const cause = Object.assign(new Error("failed"), { code })
  expect(isRefusedByServer(new SqlError({ reason: new ConnectionError({ cause }) }))).toBe(isCertain)
})

const remedy = expect.stringContaining("remove it")
it.each<[code: string, errcode: number | undefined, expected: unknown]>([
  ...["0A000", "09000", "23505", "27000", "44000", "P0001"].map((code): [string, undefined, unknown] => [
    code,
    undefined,
    remedy
  ]),
  ["08006", undefined, undefined],
  // SQLITE_CONSTRAINT_TRIGGER, and SQLITE_AUTH, which is no SQLSTATE
  ["ERR_SQLITE_ERROR", 1811, remedy],
  ["ERR_SQLITE_ERROR", 23, undefined]
])(
  "a failure with the code %s and the number %s has a remedy if the database refuses: %s",
  (code, errcode, expected) => {
    const cause = Object.assign(new Error("failed"), { code, errcode })
    expect(remedyOf(new SqlError({ reason: new ConnectionError({ cause }) }))).toEqual(expected)
  }
)
