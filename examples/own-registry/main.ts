/** The program with its service, in memory. Any other transport takes the place of the one here. */
import { Client, Credentials } from "@cloud-management/core"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { Console, Effect, Layer } from "effect"
import { Keys, operations, program } from "./Keys.ts"
import * as KeyService from "./service.ts"

const credentials = Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
const client = Layer.effect(Keys, Client.make(operations, { baseUrl: "http://in-memory", credentials })).pipe(
  Layer.provide(InMemoryTransport.layerService),
  Layer.provide(KeyService.layer)
)

const main = Effect.flatMap(program(Fixtures.acme), ({ again, left, pages }) =>
  Console.log(`pages of ${pages.join(" and ")}, ${again}, left: ${left.join(", ")}`)
)
await Effect.runPromise(Effect.provide(main, client))
