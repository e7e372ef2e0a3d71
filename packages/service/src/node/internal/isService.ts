import * as Context from "effect/Context"

/**
 * Whether the process that opens a database is a service: then the log has a warning if the role of a `postgres://` URL can
 * change or delete audit records, which only an operator needs, or if its commits do not wait for the disk. Default: `false`.
 */
export const IsService: Context.Reference<boolean> = Context.Reference("@cloud-management/service/IsService", {
  defaultValue: () => false
})
