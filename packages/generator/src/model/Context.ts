import type { Document } from "../read/Document.ts"
import type { Warn } from "../read/Unsupported.ts"
import type * as Endpoint from "./Endpoint.ts"
import type { Reader } from "./Schemas.ts"

export interface Options {
  readonly document: Document
  readonly responses: Reader
  readonly requests: Reader
  readonly warn: Warn
  readonly isIncluded: Endpoint.IsIncluded
  readonly envelope: string
}

/** An operation of a document that is read, and how. */
export interface Context extends Options, Endpoint.Endpoint {}
