import * as Layer from "effect/Layer"
import * as MemoryStore from "@cloud-management/service/MemoryStore"
import * as SqlStore from "@cloud-management/service/SqlStore"
import * as SqliteClient from "@cloud-management/service/node/SqliteClient"
import * as SqliteFile from "./SqliteFile.ts"
import { storeContract } from "./StoreContract.ts"

const memory = SqliteClient.layer({ filename: ":memory:" })

storeContract("memory", MemoryStore.layer, Layer.empty)
storeContract("SQLite in memory", SqlStore.layer.pipe(Layer.provide(memory)), Layer.empty)
storeContract("SQLite in a file", SqlStore.layer.pipe(Layer.provide(SqliteFile.layer)), Layer.empty)
