import * as Command from "effect/cli/Command"
import { dump, seed } from "./admin/content.ts"
import { endpoints } from "./admin/endpoints.ts"
import { keys } from "./admin/keys.ts"
import { organizations } from "./admin/organizations.ts"
import { services } from "./admin/services.ts"
import * as Session from "./admin/session.ts"
import * as Logging from "./Logging.ts"

/** `cloud-management admin …` */
export const admin = Command.make("admin").pipe(
  Command.withDescription("Make, list and change the content of a service's database"),
  Command.withSubcommands([organizations, services, endpoints, keys, seed, dump]),
  Command.withGlobalFlags([Session.Database, Logging.LogFormat])
)
