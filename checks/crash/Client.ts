import { Context, Effect, Layer, Result } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import { CloudManagement } from "@cloud-management/core"
import { Credentials } from "@cloud-management/client"
import type { AnyCloudError } from "../../packages/cli/src/output/Failure.ts"

/** Where a client calls. */
export interface Address {
  /** Its name, for people. */
  readonly by: string
  readonly url: string
  /** Whether users call there, whose errors count. */
  readonly isFront: boolean
}

/** A client that signs with one key. */
export interface Client {
  readonly key: ApiKeyId
  /** Where its calls go. */
  readonly at: Address
  readonly cloud: CloudManagement.CloudManagement["Service"]
}

/** The call that a fiber makes, for the client's log. */
const CurrentCall = Context.Reference<{ assumed: boolean }>("test/cluster/CurrentCall", {
  defaultValue: () => ({ assumed: false })
})

/** The address that a key calls from: those of a machine would share the limit of failed authentications. */
export const addressOf = (key: ApiKeyId) => {
  const n = Number(key.slice(-6))
  return `10.${key.charCodeAt(0)}.${n >> 8}.${n & 255}`
}

/** A client over a transport that all share, with the policies of the library. */
export const make = (transport: HttpClient.HttpClient, at: Address, key: ApiKeyId) => {
  const placed = HttpClient.mapRequest(transport, HttpClientRequest.setHeader("x-forwarded-for", addressOf(key)))
  return CloudManagement.layer({
    baseUrl: at.url,
    credentials: Credentials.make(key, "secret"),
    log: ({ _tag }) => Effect.map(CurrentCall, (call) => void (call.assumed ||= _tag === "AssumedDeleted"))
  }).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, placed)),
    Layer.build,
    Effect.map((context): Client => ({ key, at, cloud: Context.get(context, CloudManagement.CloudManagement) }))
  )
}

/** What a caller asks for, and the answer that is right while its key is there. */
export interface Ask {
  readonly name: string
  readonly expected: ReadonlyArray<string>
  /** The result as one line. */
  readonly perform: (cloud: Client["cloud"]) => Effect.Effect<string, AnyCloudError>
}

/** What came of it. */
export interface Answer {
  readonly begun: number
  readonly ended: number
  /** The result as one line, or the tag of the reason, with the status where there is no tag for it. */
  readonly text: string
  /** No answer of a node, or that of one that is not able to give one at the time. */
  readonly isAway: boolean
  /** Nothing was left to delete, after an attempt that may have done it. */
  readonly isAssumed: boolean
  /** It may have been done, although it failed. */
  readonly isUnknown: boolean
}

const away = ["ServiceUnavailable", "TransportFailed", "Timeout", "UnexpectedStatus 502", "UnexpectedStatus 504"]

const failed = ({ reason, status }: AnyCloudError) =>
  reason._tag === "UnexpectedStatus" ? `${reason._tag} ${status}` : reason._tag

/** Calls, and waits for the end. */
export const call = Effect.fnUntraced(function* ({ cloud }: Client, { perform }: Ask) {
  const current = { assumed: false }
  const begun = performance.now()
  const result = yield* Effect.result(Effect.provideService(perform(cloud), CurrentCall, current))
  const ended = performance.now()
  const text = Result.match(result, { onSuccess: (line) => line, onFailure: failed })
  const answer: Answer = {
    begun,
    ended,
    text,
    isAway: away.includes(text),
    isAssumed: current.assumed,
    isUnknown: Result.isFailure(result) && result.failure.outcome === "unknown"
  }
  return answer
})
