import { Console, Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import type { Seed } from "@cloud-management/service/Seed"
import * as Commands from "../commands.ts"
import * as Failure from "../output/Failure.ts"
import * as Foreign from "../output/foreign.ts"
import * as Format from "../output/Format.ts"
import * as Logging from "../output/Logging.ts"
import * as Output from "../output/output.ts"
import * as Rows from "../operations/rows.ts"
import * as Session from "./session.ts"

const count = ({ organizations }: Seed) => {
  const services = organizations.flatMap(({ services }) => services)
  return {
    organizations: organizations.length,
    apiKeys: organizations.flatMap(({ apiKeys }) => apiKeys).length,
    services: services.length,
    reversePrivateEndpoints: services.flatMap(({ reversePrivateEndpoints }) => reversePrivateEndpoints).length
  }
}

export const seed = Commands.make(
  "seed",
  {
    file: Argument.String("FILE").pipe(Argument.withDescription("JSON file in the format that `admin export` prints"))
  },
  function* ({ file }) {
    const { fill, readSeed } = yield* Effect.promise(() => import("../database/seeding.ts"))
    const content = yield* readSeed("argument <FILE>", file)
    if (!(yield* Session.changing(({ store }) => fill(store, content), true))) {
      const message = "the database already has content, so nothing was changed"
      const advice = "Pass another database, or add to this one with the other commands of `cloud-management admin`."
      return yield* Failure.make("rejected", "NotEmpty", message, advice)
    }
    const counts = count(content)
    yield* Format.printRecord(counts, Rows.rows(counts))
  }
).pipe(Commands.described("Fill an empty or a new database", "seed.json --database cloud.db"))

export const dump = Command.make(
  "export",
  {},
  Effect.fnUntraced(
    function* () {
      const { Seed } = yield* Effect.promise(() => import("@cloud-management/service/Seed"))
      const { logged } = yield* Effect.promise(() => import("../database/database.ts"))
      // nothing is printed before it is recorded
      const content = yield* Session.read((administration) =>
        Effect.tap(administration.export, ({ organizations }) =>
          logged("database.exported", { organizations: organizations.length }, administration.audit.append)
        )
      )
      const document = yield* Effect.orDie(Schema.encodeEffect(Seed)(content))
      const text = Foreign.toJson(document, (yield* Format.Format) === "json" ? undefined : 2)
      yield* Console.log(text)
    },
    Output.whole,
    Logging.within
  )
).pipe(
  Commands.described(
    "Print the whole content as a seed, with digests instead of secrets",
    "--database cloud.db >backup.json"
  )
)
