import { Effect, Layer, Redacted, Stream } from "effect"
import {
  CallError,
  type Client,
  Credentials,
  Log,
  Metrics,
  Operation,
  Pacing,
  SecretFinder
} from "@cloud-management/client"
import { CloudManagement } from "@cloud-management/core"
import type { Listener } from "@cloud-management/client/Event"
import { NodeTransport } from "@cloud-management/node"
import process from "node:process"
import * as Authorities from "../process/authorities.ts"
import * as Format from "../output/Format.ts"
import * as Progress from "./progress.ts"

/** A secret, and how it signs: with a key's ID by HTTP Basic, at a place with a name, or otherwise as a bearer token. */
export interface Key {
  readonly keyId?: string | undefined
  readonly keySecret?: Redacted.Redacted | undefined
  readonly header?: string | undefined
  readonly query?: string | undefined
  readonly cookie?: string | undefined
}

const credentialsOf = ({ cookie, header, keyId, keySecret, query }: Key) => {
  if (keySecret === undefined) return Credentials.none
  if (header !== undefined) return Credentials.header(header, keySecret)
  if (query !== undefined) return Credentials.query(query, keySecret)
  if (cookie !== undefined) return Credentials.cookie(cookie, keySecret)
  return keyId === undefined ? Credentials.bearer(keySecret) : Credentials.make(keyId, keySecret)
}

/** The client's errors contain no secret, but successful responses are shown unchanged. */
const finder = (secrets: ReadonlyArray<Redacted.Redacted>) => {
  const finder = SecretFinder.make()
  // all of a shorter one is in ordinary text
  for (const secret of secrets.map(Redacted.value)) if (secret.length >= 8) finder.add(secret)
  return (value: unknown): boolean => {
    let found = false
    JSON.stringify(value, (_, part: unknown) => {
      const text = part instanceof Uint8Array ? new TextDecoder().decode(part) : part
      found ||= typeof text === "string" && finder.finds(text)
      // JSON has no large integers, and a stream is read later
      return text === part && typeof part !== "bigint" && !Stream.isStream(part) ? part : undefined
    })
    return found
  }
}

/** A client that rejects successful responses that repeat the secret, because commands print them unchanged; and what finds it. */
export const connect = Effect.fnUntraced(function* (
  { cookie, header, keyId, keySecret, query, ...options }: Omit<Client.Options, "credentials"> & Key,
  transport: ReturnType<typeof NodeTransport.layerOptions> = NodeTransport.layerOptions({ proxy: "env" })
) {
  if (/^https:/i.test(options.baseUrl ?? "")) Authorities.trust(process.env)
  const format = yield* Format.Format
  const verbose = yield* Progress.Verbose
  const tell = yield* Format.progress
  const report = Progress.report(tell, verbose)
  const log: Listener = (event) => {
    if (event._tag !== "InsecureBaseUrl")
      return Effect.andThen(Log.effect(event), "operation" in event ? report(event) : Effect.void)
    const warning = `the API key is sent to ${event.baseUrl} without TLS, so others on the network can read it: use https`
    return keySecret === undefined ? Effect.void : Format.warnAs(format, event._tag, warning)
  }
  const context = yield* Layer.build(transport)
  const credentials = credentialsOf({ cookie, header, keyId, keySecret, query })
  const defaults = { pacing: Pacing.adaptive, log, metrics: Metrics.effect }
  const cloud = yield* CloudManagement.make({ ...defaults, ...options, credentials }).pipe(Effect.provide(context))
  const repeats = finder(credentials.secrets)
  const exchange: Client.Calls["exchange"] = (operation, input) =>
    Effect.filterOrFail(
      Effect.tap(cloud.exchange(operation, input), ({ attempts, requestId }) =>
        verbose && !repeats(requestId) ? Progress.succeeded(tell, attempts, requestId) : Effect.void
      ),
      ({ requestId, value }) => !repeats({ requestId, value }),
      ({ attempts, status }) =>
        new CallError.CallError({
          operation: Operation.nameOf(operation),
          method: operation.method,
          path: operation.path,
          status,
          attempts,
          outcome: "unknown",
          reason: new CallError.InvalidResponse({
            message: "the body is not shown, because it contains the credentials"
          })
        })
    )
  return { client: CloudManagement.CloudManagement.of({ ...cloud, exchange }), repeats }
})
