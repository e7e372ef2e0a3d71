import * as Transport from "@cloud-management/client/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type * as HttpBody from "effect/http/HttpBody"
import { Blob } from "node:buffer"
import { Readable } from "node:stream"
import { types } from "node:util"
import type { Dispatcher, FormData } from "undici"

type Body = Dispatcher.DispatchOptions["body"]

const isIterable = (body: unknown): body is Iterable<unknown> | AsyncIterable<unknown> =>
  Predicate.hasProperty(body, Symbol.asyncIterator) || Predicate.isIterable(body)

/** Of any class: a page's globals, as in jsdom, are not those of Node. */
const isBlob = (body: unknown): body is Blob =>
  Predicate.hasProperty(body, "stream") && Predicate.isFunction(body.stream)

/** Iterators that were sent: they are at their end, which does not show. */
const sent = new WeakSet<object>()

/** Whether a body was read, or is: it would be sent as if it were empty. */
const isRead = (body: object): boolean =>
  // oxlint-disable-next-line typescript/consistent-type-assertions -- it takes anything, and web streams too
  Readable.isDisturbed(body as Readable) ||
  (Predicate.hasProperty(body, "locked") && body.locked === true) ||
  (Predicate.hasProperty(body, "readable") && body.readable === false) ||
  sent.has(body)

/** The body as undici sends it, or a stream; `undefined` for what it does not send. */
const ofRaw = (body: unknown): Body | undefined => {
  if (body === null || body === undefined) return null
  if (typeof body === "string" || body instanceof Uint8Array) return body
  if (Predicate.isObject(body) && isRead(body)) return undefined
  // undici listens only once it has a connection
  if (body instanceof Readable) return body.on("error", constVoid)
  // of any realm, as a view is: Jest has another
  if (types.isArrayBuffer(body)) return new Uint8Array(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (isBlob(body)) return Readable.from(body.stream())
  if (!isIterable(body)) return undefined
  if (Predicate.hasProperty(body, "next")) sent.add(body)
  return Readable.from(body)
}

/** A form with files of another realm, such as a page of jsdom: undici would send the name of their class. */
export const ofPage = (body: HttpBody.HttpBody): Transport.FormContent | undefined => {
  if (body._tag !== "FormData") return undefined
  const files = Array.from(body.formData, ([, value]) => value).flatMap((value) =>
    Predicate.isString(value) ? [] : [value]
  )
  return files.some((file) => !(file instanceof Blob)) && files.every((file) => "arrayBuffer" in file)
    ? Transport.formContent(body.formData)
    : undefined
}

const ofStream = ({ stream }: HttpBody.Stream): Effect.Effect<Readable> =>
  stream.pipe(
    Stream.catchCause((cause) => Stream.fail(new Transport.BodyFailed(Cause.squash(cause)))),
    Stream.toAsyncIterableEffect,
    // nobody else listens once the request has ended, and the end of a source can fail too
    Effect.map((iterable) => Readable.from(iterable).on("error", constVoid))
  )

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
        for (const [name, value] of body.formData) {
          // no file of any realm
          if (!Predicate.isString(value) && !(value instanceof Blob)) return undefined
          form.append(name, value)
        }
        return form
      })
    case "Stream":
      return ofStream(body)
  }
}

/** Corrects the headers that describe a body. undici describes bytes itself, and a form, whose boundary it names. */
export const describe = (body: HttpBody.HttpBody, headers: Record<string, string>): void => {
  if (body._tag === "FormData") delete headers["content-type"]
  if (body._tag === "FormData" || body._tag === "Stream") delete headers["content-length"]
  if (body._tag === "Stream" && body.contentLength !== undefined) {
    headers["content-length"] = String(body.contentLength)
  }
  if (body._tag !== "Raw" || !isBlob(body.body)) return
  const { size, type }: Partial<Blob> = body.body
  if (size !== undefined) headers["content-length"] = String(size)
  if (type) headers["content-type"] ??= type
}

/**
 * Gives up a body that is not sent, or no further, and waits until the source of a stream is closed: undici would begin
 * to read a body whose request was given up, and never end it.
 */
export const closing = <A, E>(sent: Effect.Effect<A, E>, body: HttpBody.HttpBody, content: Body): Effect.Effect<A, E> =>
  content instanceof Readable
    ? Effect.onError(sent, () =>
        Effect.callback((resume) => {
          // one that is not ours need not report it
          if (body._tag !== "Stream" || content.closed) resume(Effect.void)
          else content.once("close", () => resume(Effect.void))
          content.destroy()
        })
      )
    : sent
