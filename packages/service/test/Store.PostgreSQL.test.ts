import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlStore from "@cloud-management/service/SqlStore"
import * as Database from "@cloud-management/service/node/Database"
import { administrationContract } from "./AdministrationContract.ts"
import * as PostgresServer from "./PostgresServer.ts"
import { storeContract } from "./StoreContract.ts"

const database = Layer.unwrap(
  Effect.gen(function* () {
    const { database } = yield* PostgresServer.PostgresServer
    return Database.layer(yield* database)
  })
)

PostgresServer.suite((version) => {
  storeContract(version, SqlStore.layer.pipe(Layer.provide(database)), PostgresServer.layer)
  administrationContract(version, database, PostgresServer.layer)
})
