/** The least that a page can do with Effect's client: read JSON that nobody checks. */
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"

const program = HttpClient.get("https://api.example.com/tasks").pipe(Effect.flatMap((response) => response.json))

await Effect.runPromise(program.pipe(Effect.provide(FetchHttpClient.layer))).then(console.log)
