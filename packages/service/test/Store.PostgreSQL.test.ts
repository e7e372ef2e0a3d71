import { Effect, Layer } from "effect"
import { Database } from "@cloud-management/service/node"
import * as SqlClient from "../src/node/internal/sqlClient.ts"
import { administrationContract } from "./AdministrationContract.ts"
import * as PostgresServer from "../../../checks/fixtures/PostgresServer.ts"
import { sqlAdministrationContract } from "./SqlAdministrationContract.ts"
import { storeContract } from "./StoreContract.ts"

const over = <A, E>(layer: (where: string) => Layer.Layer<A, E>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { database } = yield* PostgresServer.PostgresServer
      return layer(yield* database)
    })
  )
const store = over(Database.layer)

PostgresServer.suite((version) => {
  storeContract(version, store, PostgresServer.layer)
  administrationContract(version, store, PostgresServer.layer)
  sqlAdministrationContract(version, over(SqlClient.layer), PostgresServer.layer)
})
