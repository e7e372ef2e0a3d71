/** The same with the smallest schema for the answer. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"

const program = HttpClient.get("https://api.example.com/tasks/1").pipe(
  Effect.flatMap(HttpClientResponse.schemaBodyJson(Schema.Struct({ name: Schema.String })))
)

await Effect.runPromise(program.pipe(Effect.provide(FetchHttpClient.layer))).then(console.log)
