import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { CloudManagementClient } from "@cloud-management/core/CloudManagement"
import { operations } from "@cloud-management/core/Operations"
import * as RequestInput from "@cloud-management/service/RequestInput"

/** The part of a cassette that says which calls it was recorded from; `Recorder` reads the rest. */
const Recorded = Schema.fromJsonString(
  Schema.Struct({
    entries: Schema.Array(
      Schema.Struct({
        request: Schema.Struct({ method: Schema.String, path: Schema.String }),
        response: Schema.optionalKey(Schema.Struct({ status: Schema.Int }))
      })
    )
  })
)

const most = 1000

/** Makes a recorded call again. */
export type Call = (cloud: CloudManagementClient) => Effect.Effect<unknown, unknown>

const known = Object.values(operations).flatMap((group) =>
  Object.values(group).map((operation) => ({ operation, decode: RequestInput.decode(operation) }))
)

/** The call that sends a request, if it is of an operation of the API. */
const callOf = (method: string, path: string): Call | undefined => {
  const request = {
    method,
    url: path,
    headers: {},
    address: () => undefined,
    content: () => Stream.empty,
    source: {}
  }
  for (const { decode, operation } of known) {
    const input = decode(request)
    if (input !== undefined) {
      return (cloud) => Effect.flatMap(input, (input) => cloud.execute(operation, input))
    }
  }
  return undefined
}

/**
 * The calls that a cassette was recorded from, in their order: a request begins a call, unless it repeats one that has not
 * succeeded yet. Otherwise, what is wrong with the file.
 */
export const calls = (text: string): Result.Result<ReadonlyArray<Call>, string> => {
  const recorded = Schema.decodeUnknownResult(Recorded)(text)
  if (Result.isFailure(recorded)) {
    return Result.fail(`This is not a cassette of Recorder (docs/library/recording.md): ${recorded.failure.message}`)
  }
  const open = new Set<string>()
  const calls: Array<Call> = []
  for (const { request, response } of recorded.success.entries) {
    const { method, path } = request
    const name = `${method} ${path}`
    if (!open.has(name)) {
      const call = callOf(method, path)
      if (call === undefined) return Result.fail(`The lab cannot repeat ${name}: it is not a request of the API.`)
      calls.push(call)
      open.add(name)
    }
    if (response !== undefined && response.status < 300) open.delete(name)
  }
  if (calls.length > most)
    return Result.fail(`The lab repeats at most ${most} calls; the cassette has ${calls.length}.`)
  return calls.length === 0 ? Result.fail("The cassette is empty.") : Result.succeed(calls)
}
