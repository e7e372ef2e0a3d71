import type { PlatformError } from "effect/PlatformError"
import { Predicate } from "effect"

export const codeOf = ({ _tag, cause }: PlatformError["reason"]): string =>
  Predicate.hasProperty(cause, "code") ? String(cause.code) : _tag

const reasons: ReadonlyMap<string, string> = new Map([
  ["NotFound", "no such file"],
  ["BadResource", "not a file"],
  ["PermissionDenied", "permission denied"],
  ["TimedOut", "no more of it came within a minute, and no end"],
  ["InvalidData", "it is too large"]
])

export const unreadable = ({ reason }: PlatformError): string => {
  const why = reasons.get(reason._tag)
  return why === undefined ? `cannot be read (${codeOf(reason)})` : `cannot be read: ${why}`
}
