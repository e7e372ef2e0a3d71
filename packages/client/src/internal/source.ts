import * as Context from "effect/Context"
import type * as Operation from "../Operation.ts"

/** The operation that an endpoint was made of: what `HttpApi` does not express is not lost. */
export class Source extends Context.Service<Source, Operation.Any>()("@cloud-management/client/Contract/Source") {}
