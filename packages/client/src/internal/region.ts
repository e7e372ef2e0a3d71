import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import { constUndefined } from "effect/Function"

// Each as the function `within` of its module sets it for the calls of a region.

type Times<Name extends string> = { readonly [Limit in Name]?: Duration.Input }

export const deadline = Context.Reference<Times<"attempt" | "total" | "stall"> | undefined>(
  "@cloud-management/client/Deadline",
  { defaultValue: constUndefined }
)

export const retry = Context.Reference<
  (Times<"base" | "baseRateLimited" | "cap" | "maxHint"> & { readonly attempts?: number }) | undefined
>("@cloud-management/client/Retry", { defaultValue: constUndefined })

/** By their names in lower case. */
export const headers = Context.Reference<Readonly<Record<string, string>> | undefined>(
  "@cloud-management/client/RequestHeaders",
  { defaultValue: constUndefined }
)
