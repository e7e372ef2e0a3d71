import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryStore from "@cloud-management/service/MemoryStore"
import * as SqlStore from "@cloud-management/service/SqlStore"
import { Store } from "@cloud-management/service/Store"
import * as SqliteClient from "@cloud-management/service/node/SqliteClient"
import * as SqliteFile from "./SqliteFile.ts"
import { storeContract } from "./StoreContract.ts"

const memory = SqliteClient.layer({ filename: ":memory:" })

/** The methods that the cases use. */
const used = new Set<string>()
const recorded = Layer.effect(
  Store,
  Effect.map(
    Store,
    (store) => new Proxy(store, { get: (target, name) => (used.add(String(name)), Reflect.get(target, name)) })
  )
).pipe(Layer.provide(MemoryStore.layer))

storeContract("memory", recorded, Layer.empty)
storeContract("SQLite in memory", SqlStore.layer.pipe(Layer.provide(memory)), Layer.empty)
storeContract("SQLite in a file", SqlStore.layer.pipe(Layer.provide(SqliteFile.layer)), Layer.empty)

it.effect("each method of Store has a case", () =>
  Effect.gen(function* () {
    const missing = Object.keys(yield* Store).filter((name) => !used.has(name))
    expect(missing.map((name) => `${name}: use it in a case of packages/service/test/StoreContract.ts`)).toEqual([])
  }).pipe(Effect.provide(MemoryStore.layer))
)
