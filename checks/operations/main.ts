/**
 * `npm run check operations`: follows docs/service/operations.md from top to bottom, on SQLite and on PostgreSQL. Each command of
 * its blocks is run as it stands there, but for IDs, addresses and folders, and its outcome is checked; so are its
 * statements and settings of PostgreSQL. A block after `<!-- not run: why -->` is named with that reason. It
 * catches a document that an operator cannot follow.
 */
import { Effect } from "effect"
import bundle from "../fixtures/bundle.ts"
import * as Program from "../fixtures/Program.ts"

await bundle()
// after the bundle, which the modules of the tests look for when they load
const Operations = await import("./run.ts")

if (Program.isThere("postgres", "curl", "jq", "sqlite3")) await Effect.runPromise(Operations.run)
