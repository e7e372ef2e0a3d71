/**
 * The refusals of an API of your own: with a body, several for one status, for a range, for the rest, and with free text.
 * A gateway's response is none of them.
 */
import { Body, Client, CallError, Credentials, Operation, Refusal } from "@cloud-management/core"
import { Console, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

/** The body of a refusal: `code` says which one it is. */
const problem = <const Code extends string>(code: Code) => ({ code: Schema.Literal(code), message: Schema.String })

class OutOfStock extends CallError.refusal(
  "OutOfStock",
  409,
  Refusal.body(Schema.Struct({ ...problem("out_of_stock"), left: Schema.Finite }))
) {}
class PriceChanged extends CallError.refusal(
  "PriceChanged",
  409,
  Refusal.body(Schema.Struct({ ...problem("price_changed"), price: Schema.Finite }))
) {}
/** Any other status from 400 to 499, with the same fields. */
class Rejected extends CallError.refusal(
  "Rejected",
  "4XX",
  Refusal.body(Schema.Struct({ code: Schema.String, message: Schema.String }))
) {}
/** Free text in the envelope `{ status, error, requestId }`, for all other statuses. */
class Failed extends CallError.refusal("Failed", "default", Refusal.text) {}

const order = Operation.make({
  group: "shop",
  name: "order",
  method: "PUT",
  path: "/v1/orders/:id",
  params: Schema.Struct({ id: Schema.String }),
  success: Body.empty,
  errors: [OutOfStock, PriceChanged, Rejected, Failed]
})
const operations = { shop: { order } }

/** The reasons in place of the error: tags that are handled leave the type. */
const describe = (cloud: Client.Client<typeof operations>, id: string) =>
  cloud.shop.order({ id }).pipe(
    Effect.as("ordered"),
    Effect.unwrapReason("CallError"),
    Effect.catchTags({
      OutOfStock: ({ body }) => Effect.succeed(`only ${body.left} left`),
      PriceChanged: ({ body }) => Effect.succeed(`costs ${body.price} now`),
      Rejected: ({ body, status }) => Effect.succeed(`rejected with ${status}: ${body.code}`),
      Failed: ({ message, status }) => Effect.succeed(`failed with ${status}: ${message}`)
    }),
    // whatever the client itself reports
    Effect.catch(({ _tag, message }) => Effect.succeed(`${_tag}: ${message}`))
  )

const responses: Record<string, () => Response> = {
  few: () => Response.json({ code: "out_of_stock", message: "Not enough", left: 2 }, { status: 409 }),
  old: () => Response.json({ code: "price_changed", message: "It costs more", price: 12 }, { status: 409 }),
  empty: () => Response.json({ code: "no_items", message: "Nothing to order" }, { status: 422 }),
  broken: () => Response.json({ status: 507, error: "The warehouse is full", requestId: "req-7" }, { status: 507 }),
  gateway: () =>
    new Response("<html><h1>409 Conflict</h1></html>", { status: 409, headers: { "content-type": "text/html" } })
}

/** Stands for the service. */
const service = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request, url) => {
    const respond = responses[url.pathname.split("/").at(-1) ?? ""]
    return Effect.succeed(HttpClientResponse.fromWeb(request, respond?.() ?? new Response(null, { status: 204 })))
  })
)

const main = Effect.gen(function* () {
  const cloud = yield* Client.make(operations, {
    baseUrl: "https://shop.example.com",
    credentials: Credentials.bearer("token")
  })
  for (const id of ["one", ...Object.keys(responses)]) {
    yield* Console.log(`${id.padEnd(8)} ${yield* describe(cloud, id)}`)
  }
})

await Effect.runPromise(main.pipe(Effect.scoped, Effect.provide(service)))
