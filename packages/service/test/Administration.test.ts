import * as Layer from "effect/Layer"
import * as SqliteClient from "@cloud-management/service/node/SqliteClient"
import { administrationContract } from "./AdministrationContract.ts"
import * as SqliteFile from "./SqliteFile.ts"

administrationContract("SQLite in memory", SqliteClient.layer({ filename: ":memory:" }), Layer.empty)
administrationContract("SQLite in a file", SqliteFile.layer, Layer.empty)
