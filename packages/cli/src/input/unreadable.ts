import type { PlatformError } from "effect/PlatformError"
import { Predicate } from "effect"

export const codeOf = ({ _tag, cause }: PlatformError["reason"]): string =>
  Predicate.hasProperty(cause, "code") ? String(cause.code) : _tag

export const unreadable = ({ reason }: PlatformError): string => {
  switch (reason._tag) {
    case "NotFound":
      return "cannot be read: no such file"
    case "BadResource":
      return "cannot be read: not a file"
    case "PermissionDenied":
      return "cannot be read: permission denied"
    case "TimedOut":
      return "cannot be read: no more of it came within a minute, and no end"
    case "InvalidData":
      return "cannot be read: it is too large"
    default:
      return `cannot be read (${codeOf(reason)})`
  }
}
