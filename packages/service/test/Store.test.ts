import { expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect, Layer } from "effect"
import { MemoryStore } from "@cloud-management/service"
import { Store } from "@cloud-management/service/Store"
import * as SqlStore from "../src/sql/SqlStore.ts"
import * as SqliteFile from "./SqliteFile.ts"
import { administrationContract } from "./AdministrationContract.ts"
import { sqlAdministrationContract } from "./SqlAdministrationContract.ts"
import { storeContract } from "./StoreContract.ts"

const used = new Set<string>()
const recorded = Layer.effect(
  Store,
  Effect.map(
    Store,
    (store) => new Proxy(store, { get: (target, name) => (used.add(String(name)), Reflect.get(target, name)) })
  )
).pipe(Layer.provide(MemoryStore.layer))

storeContract("memory", recorded, Layer.empty)
const store = SqlStore.layer.pipe(Layer.provide(SqliteFile.layer))
storeContract("SQLite", store, Layer.empty)
administrationContract("SQLite", store, Layer.empty)
sqlAdministrationContract("SQLite", SqliteFile.layer, Layer.empty)

it.effect.over(MemoryStore.layer)("each method of Store has a case", function* () {
  const missing = Object.keys(yield* Store).filter((name) => !used.has(name))
  expect(missing.map((name) => `${name}: use it in a case of packages/service/test/StoreContract.ts`)).toEqual([])
})
