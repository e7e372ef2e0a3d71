import * as Layer from "effect/Layer"
import * as SqlStore from "@cloud-management/service/SqlStore"
import { administrationContract } from "./AdministrationContract.ts"
import * as Pglite from "./Pglite.ts"
import { sqlAdministrationContract } from "./SqlAdministrationContract.ts"
import { storeContract } from "./StoreContract.ts"

const store = SqlStore.layer.pipe(Layer.provide(Pglite.client))

storeContract("PGlite", store, Pglite.layer)
administrationContract("PGlite", store, Pglite.layer)
sqlAdministrationContract("PGlite", Pglite.client, Pglite.layer)
