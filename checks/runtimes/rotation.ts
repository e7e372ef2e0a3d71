/** A key that several requests of a worker read again at once. */
import { Effect } from "effect"
import * as Listener from "../fixtures/Listener.ts"
import * as Runtime from "./Runtime.ts"
import { equal, run } from "./run.ts"

const atOnce = 3

/** A service whose key changes; it hands out the new one when so many requests came with the old one. */
const service = Effect.suspend(() => {
  let [secret, refusals, give] = ["1", atOnce, () => {}]
  return Effect.map(
    Listener.serve((request, response) => {
      if (request.url === "/key") {
        give = () => response.end(secret)
        return refusals < atOnce ? undefined : give()
      }
      const isKnown = request.headers.authorization === `Basic ${btoa(`key-id:${secret}`)}`
      const result = [{ id: "12345678-1234-1234-1234-123456789012", name: "Acme", createdAt: "2026-01-01T00:00:00Z" }]
      response.writeHead(isKnown ? 200 : 401, { "x-request-id": "req-1" })
      response.end(JSON.stringify(isKnown ? { status: 200, requestId: "req-1", result } : { status: 401, error: "no" }))
      if (!isKnown && ++refusals === atOnce) give()
    }),
    (url) => ({ url, rotate: () => ([secret, refusals] = [`${Number(secret) + 1}`, 0]) })
  )
})

export const rotation = Effect.gen(function* () {
  const { rotate, url: baseUrl } = yield* service
  const script = yield* Runtime.bundle("inside/rotation.ts")
  const { url } = yield* Runtime.serveWorker(script, { BASE_URL: baseUrl })
  const ask = (client: string) =>
    Effect.tryPromise(async (signal) => {
      const response = await fetch(`${url}/${client}`, { signal })
      return `${response.status} ${await response.text()}`
    })
  const several = (client: string) =>
    Effect.replicateEffect(ask(client), atOnce, { concurrency: "unbounded" }).pipe(
      Effect.flatMap((asked) => equal(asked.join("; "), "200 Acme; 200 Acme; 200 Acme"))
    )
  const rotated = (client: string) => Effect.andThen(Effect.sync(rotate), several(client))
  const of = (client: string) => ({
    [`requests that come at once share the first key: ${client}`]: several(client),
    [`requests that are refused at once share the next key: ${client}`]: rotated(client)
  })
  return yield* run({ ...of("effect"), ...of("promises") })
})
