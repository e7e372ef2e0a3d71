import { Command } from "effect/cli"
import * as Commands from "../commands.ts"
import { audit } from "./audit.ts"
import { dump, seed } from "./content.ts"
import { endpoints } from "./endpoints.ts"
import { keys } from "./keys.ts"
import { organizations } from "./organizations.ts"
import { services } from "./services.ts"
import * as Session from "./session.ts"
import * as Logging from "../output/Logging.ts"

export const command = Command.make("admin").pipe(
  Commands.examples(
    ["organizations create Acme --database cloud.db", "Create an organization in a new database"],
    ["keys create ORGANIZATION_ID deploy --database cloud.db", "Create a key, and show its secret once"]
  ),
  Command.withSubcommands([organizations, services, endpoints, keys, seed, dump, audit]),
  Command.withGlobalFlags([Session.Database, Logging.LogFormat])
)
