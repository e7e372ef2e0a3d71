import type { IncomingHttpHeaders } from "node:http"
import { decode } from "../Json.ts"
import type { Pair } from "./FieldText.ts"

/** A request as it arrived. */
export interface Received {
  readonly method: string
  /** The segments of the path, decoded. */
  readonly path: ReadonlyArray<string>
  /** The parameters of the query, decoded. */
  readonly query: ReadonlyArray<Pair>
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The pairs of a query or a form. */
export const pairs = (text: string): ReadonlyArray<Pair> => [...new URLSearchParams(text)]

/** Reads the target of a request. */
export const make = (method: string, target: string, headers: IncomingHttpHeaders, body: Buffer): Received => {
  const at = target.includes("?") ? target.indexOf("?") : target.length
  return {
    method,
    path: target.slice(0, at).split("/").map(decode),
    query: pairs(target.slice(at + 1)),
    headers,
    body
  }
}
