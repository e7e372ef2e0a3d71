import { expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { mkdirSync, readFileSync } from "node:fs"
import { Administration } from "@cloud-management/service/Administration"
import * as Seed from "@cloud-management/service/Seed"
import { Store, StoreUnavailable } from "@cloud-management/service/Store"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import { administrationContract } from "./AdministrationContract.ts"
import * as JsonStore from "./JsonStore.ts"
import * as SqliteFile from "./SqliteFile.ts"
import { deletion, storeContract } from "./StoreContract.ts"

const store = Layer.unwrap(Effect.map(SqliteFile.name, JsonStore.layer))

storeContract("a JSON file", store, Layer.empty)
administrationContract("a JSON file", store, Layer.empty)

const { acme, backupKey, deployKey, disabledKey } = Fixtures

it.effect("a JSON file has what was acknowledged, and nothing that was not", () =>
  Effect.gen(function* () {
    const path = yield* SqliteFile.name
    const open = Effect.map(Layer.build(Layer.fresh(JsonStore.layer(path))), (context) => ({
      admin: Context.get(context, Administration),
      store: Context.get(context, Store)
    }))
    const first = yield* open
    yield* first.store.seed(yield* Seed.fromDocument(Fixtures.seed))
    expect(yield* first.store.deleteApiKey(acme, backupKey.id, deployKey.id, deletion)).toBe("deleted")
    expect(readFileSync(path, "utf8")).not.toContain(deployKey.secret)

    const second = yield* open
    const content = Effect.flatMap(second.admin.export, Schema.encodeEffect(Seed.Seed))
    expect(yield* content).toEqual(yield* Effect.flatMap(first.admin.export, Schema.encodeEffect(Seed.Seed)))
    expect(yield* second.store.apiKey(backupKey.id)).toEqual(Option.none())

    // the next version of the file cannot be written
    mkdirSync(`${path}.new`)
    const failed = yield* Effect.flip(second.store.deleteApiKey(acme, disabledKey.id, deployKey.id, deletion))
    expect(failed).toBeInstanceOf(StoreUnavailable)
    expect(failed.message).toMatch(/^EISDIR/)
    expect(yield* Effect.flip(second.store.ping)).toBeInstanceOf(StoreUnavailable)
    expect(Option.isSome(yield* second.store.apiKey(disabledKey.id))).toBe(true)
  })
)
