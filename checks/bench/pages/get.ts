import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import * as Body from "@cloud-management/client/Body"
import * as Client from "@cloud-management/client/Client"
import * as Refusals from "@cloud-management/core/Refusals"
import * as Credentials from "@cloud-management/client/Credentials"
import * as Operation from "@cloud-management/client/Operation"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const get = Operation.make({
  group: "items",
  name: "get",
  method: "GET",
  path: "/v1/items/:id",
  params: Schema.Struct({ id: Schema.String }),
  success: Body.jsonResponse(Schema.Struct({ name: Schema.String })),
  errors: Refusals.commonRefusals
})
const program = Effect.flatMap(
  Client.make(
    { items: { get } },
    { baseUrl: "https://api.example.com", credentials: Credentials.make("id", "secret") }
  ),
  ({ items }) => Effect.map(items.get({ id: "1" }), console.log)
)

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(FetchTransport.layer)))
