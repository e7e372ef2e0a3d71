import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type * as HttpBody from "effect/http/HttpBody"
import { Readable } from "node:stream"
import { types } from "node:util"
import type { Dispatcher, FormData } from "undici"

type Body = Dispatcher.DispatchOptions["body"]

const isIterable = (body: unknown): body is Iterable<unknown> | AsyncIterable<unknown> =>
  Predicate.hasProperty(body, Symbol.asyncIterator) || Predicate.isIterable(body)

/** Of any class: a page's globals, as in jsdom, are not those of Node. */
const isBlob = (body: unknown): body is Blob =>
  Predicate.hasProperty(body, "stream") && Predicate.isFunction(body.stream)

/** What undici sends as it is, or as a stream; `undefined` for what it does not send. */
const ofRaw = (body: unknown): Body | undefined => {
  if (body === null || body === undefined) return null
  if (typeof body === "string" || body instanceof Uint8Array || body instanceof Readable) return body
  // of any realm, as a view is: Jest has another
  if (types.isArrayBuffer(body)) return new Uint8Array(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (isBlob(body)) return Readable.from(body.stream())
  return isIterable(body) ? Readable.from(body) : undefined
}

/** Makes what undici sends of a body; `undefined` of one that it cannot send. undici has a `FormData` of its own. */
export const make = (body: HttpBody.HttpBody, makeFormData: () => FormData): Effect.Effect<Body | undefined> => {
  switch (body._tag) {
    case "Empty":
      return Effect.succeed(null)
    case "Uint8Array":
      return Effect.succeed(body.body)
    case "Raw":
      return Effect.sync(() => ofRaw(body.body))
    case "FormData":
      return Effect.sync(() => {
        const form = makeFormData()
        for (const [name, value] of body.formData) form.append(name, value)
        return form
      })
    case "Stream":
      return Effect.map(Stream.toAsyncIterableEffect(body.stream), (iterable) => Readable.from(iterable))
  }
}
