// The SDK that is built on Effect; `effect` is 4.0.0-beta.100 here, since its imports are gone from 4.0.0 on.
import { Credentials } from "@distilled.cloud/neon/Credentials"
import { getProject, listApiKeys, revokeApiKey } from "@distilled.cloud/neon/Operations"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as FetchHttpClient from "effect/unstable/http/FetchHttpClient"

const program = Effect.gen(function* () {
  const [key] = yield* listApiKeys({})
  yield* revokeApiKey({ key_id: key.id })
  return yield* getProject({ project_id: "project" })
}).pipe(
  Effect.timeout("60 seconds"),
  Effect.provideService(
    Credentials,
    Effect.succeed({ apiKey: Redacted.make("secret"), apiBaseUrl: "https://api.example.com" })
  ),
  Effect.provide(FetchHttpClient.layer)
)

await Effect.runPromise(program).then(console.log)
