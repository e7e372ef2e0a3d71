import { expect, it } from "vitest"
import { Administration, KeyStore, Migrations } from "@cloud-management/service"

const record = { kind: "key", id: "k1" } as const

it.each([
  [new Administration.NotFound(record), "there is no key k1"],
  [new Administration.AlreadyExists(record), "another key has the ID k1"],
  [new Administration.InUse(record), "the key k1 is not empty"],
  [new Administration.KeyInactive(record), "the key k1 is disabled or has expired"],
  [new Migrations.UnsupportedSchema({ version: 0, supported: 2 }), "the database has no tables of the service"],
  [new KeyStore.StoreUnavailable({ cause: new Error("the disk is full") }), "the disk is full"]
])("the message of $_tag crosses to another thread", (error, message) => {
  expect([error.message, structuredClone(error).message]).toEqual([message, message])
})
