import { constFalse } from "effect/Function"
import * as Result from "effect/Result"

/** The kind of an object of any realm (a frame, `node:vm`, Jest's sandbox): `instanceof` knows only its own. */
export const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)

/** A value that throws when it is looked at is none. */
export const isError = (value: unknown): value is Error =>
  Result.getOrElse(
    Result.try(() => value instanceof Error || /^(Error|DOMException)$/.test(kindOf(value))),
    constFalse
  )
