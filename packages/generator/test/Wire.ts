/** A server that records requests and replies as told, and calls of operations against it. */
import { Client, Credentials, type Operation, Retry } from "@cloud-management/client"
import type { ClientReason, CallError } from "@cloud-management/client/CallError"
import { NodeTransport } from "@cloud-management/node"
import { Effect, Result, Schema, Stream } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import { text } from "node:stream/consumers"
import * as Listener from "../../../checks/fixtures/Listener.ts"

/** What the server got. */
export interface Received {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What the server replies. */
export interface Reply {
  /** 200 if absent. */
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** The input of a call, as it is on the wire. */
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
    const received: Array<Received> = []
    const baseUrl = yield* Listener.serve((request, response) => {
      void text(request).then((body) => {
        const { headers, method = "", url: target = "" } = request
        received.push({ method, target, headers, body })
        const isWhole = (typeof reply.body === "string" && reply.type !== undefined) || reply.body instanceof Uint8Array
        response.writeHead(reply.status ?? 200, {
          ...(reply.body !== undefined && { "content-type": reply.type ?? "application/json" }),
          ...reply.headers
        })
        response.end(reply.body === undefined ? undefined : isWhole ? reply.body : JSON.stringify(reply.body))
      })
    })
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
