import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Failure from "../output/Failure.ts"

/** Decodes text in UTF-8, and fails in any other encoding instead of replacing characters. No such text contains NUL. */
export const decode = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  refusal: Failure.Failure
): Stream.Stream<string, E | Failure.Failure, R> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder("utf-8", { fatal: true })
    const decode = (chunk?: Uint8Array) =>
      Effect.filterOrFail(
        Effect.try({ try: () => decoder.decode(chunk, { stream: chunk !== undefined }), catch: () => refusal }),
        (text) => !text.includes("\0"),
        () => refusal
      )
    return Stream.concat(Stream.mapEffect(bytes, decode), Stream.fromEffect(Effect.suspend(() => decode())))
  })
