import * as Layer from "effect/Layer"
import * as SqlStore from "@cloud-management/service/SqlStore"
import { administrationContract } from "./AdministrationContract.ts"
import * as Pglite from "./Pglite.ts"
import { storeContract } from "./StoreContract.ts"

storeContract("PGlite", SqlStore.layer.pipe(Layer.provide(Pglite.client)), Pglite.layer)
administrationContract("PGlite", Pglite.client, Pglite.layer)
