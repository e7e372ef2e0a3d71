import * as Layer from "effect/Layer"
import * as MemoryStore from "@cloud-management/service/MemoryStore"
import * as SqliteClient from "@cloud-management/service/node/SqliteClient"
import * as SqlStore from "@cloud-management/service/SqlStore"
import { administrationContract } from "./AdministrationContract.ts"
import { sqlAdministrationContract } from "./SqlAdministrationContract.ts"
import * as SqliteFile from "./SqliteFile.ts"

const memory = SqliteClient.layer({ filename: ":memory:" })

administrationContract("memory", MemoryStore.layer, Layer.empty)
administrationContract("SQLite in memory", SqlStore.layer.pipe(Layer.provide(memory)), Layer.empty)
administrationContract("SQLite in a file", SqlStore.layer.pipe(Layer.provide(SqliteFile.layer)), Layer.empty)
sqlAdministrationContract("SQLite in memory", memory, Layer.empty)
sqlAdministrationContract("SQLite in a file", SqliteFile.layer, Layer.empty)
