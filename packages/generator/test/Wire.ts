import { Client, Credentials, type Operation, Retry } from "@cloud-management/client"
import type { ClientReason, CallError } from "@cloud-management/client/CallError"
import { NodeTransport } from "@cloud-management/node"
import { Effect, Result, Schema, Stream } from "effect"
import * as Listener from "../../../checks/fixtures/Listener.ts"

export interface Reply {
  /** 200 if absent. */
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface Input {
  readonly params?: object
  readonly query?: object
  readonly headers?: object
  readonly body?: unknown
}

/** The value of a body; one that does not fit its schema is passed on as it is. */
const decoded = ({ schema }: { readonly schema: Schema.Codec<unknown, unknown> }, body: unknown) => {
  const result = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(body)
  return Result.getOrElse(result, () => body)
}

const isStream = (value: unknown): value is Stream.Stream<unknown, CallError<ClientReason>> => Stream.isStream(value)

/** Calls an operation; the body is decoded by its schema first. */
export const call = (operation: Operation.Any, { body, headers, params, query }: Input, reply: Reply) =>
  Effect.gen(function* () {
    const { body: content, status = 200, type } = reply
    const isWhole = (typeof content === "string" && type !== undefined) || content instanceof Uint8Array
    const { received, url: baseUrl } = yield* Listener.replying(() => ({
      status,
      headers: { ...(content !== undefined && type !== undefined && { "content-type": type }), ...reply.headers },
      ...(content !== undefined && { body: isWhole ? content : JSON.stringify(content) })
    }))
    const credentials = Credentials.make("id", "secret")
    const client = yield* Client.make({}, { baseUrl, credentials, retry: Retry.none })
    const payload =
      body === undefined || operation.payload === undefined ? {} : { payload: decoded(operation.payload, body) }
    const input = { ...params, ...(query && { query }), ...(headers && { headers }), ...payload }
    const result = yield* Effect.result(
      Effect.flatMap(client.execute(operation, input), (value) =>
        // while the server is there
        isStream(value) ? Stream.runCollect(value) : Effect.succeed(value)
      )
    )
    return { result, request: received[0] }
  }).pipe(Effect.provide(NodeTransport.layer), Effect.scoped)
