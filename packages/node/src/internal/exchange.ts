import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { IncomingHttpHeaders } from "node:http"
import type { Dispatcher } from "undici"
import { withoutStacks } from "./withoutStacks.ts"

/** How much of a body, in bytes, is taken from the socket before somebody reads it. */
const mostUnread = 64 * 1024

/** Aborts the exchange of a response that was garbage-collected before its body was complete. */
const unread = new FinalizationRegistry<Exchange>((exchange) => exchange.abort())

/**
 * One request and its response, as undici reports them. The fiber that waits goes on in a microtask, since undici's
 * parser, which is still running, cannot be entered from within.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  status = 0
  headers: IncomingHttpHeaders = {}
  /** Runs if it is given up before it is sent. */
  onAbandoned: () => void = constVoid
  #controller: Dispatcher.DispatchController | undefined
  #error: Error | undefined
  #isComplete = false
  /** How many bytes of the body are collected; none if it is handed out as it arrives. */
  #limit = 0
  /** Whether a stream has taken the body, or a part of it. */
  #isTaken = false
  #chunks: Array<Uint8Array> = []
  #size = 0
  #bytes: Uint8Array<ArrayBuffer> | undefined
  /** Resumes the fibers that wait for a change. */
  #notify: (() => void) | undefined

  onRequestStart(controller: Dispatcher.DispatchController) {
    // It was given up before undici wrote it. undici skips a request that throws here; `controller.abort` would destroy the
    // connection, which the next request can use.
    if (this.#error !== undefined) throw this.#error
    this.#controller = controller
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders) {
    if (status < 200) return
    this.status = status
    this.headers = headers
    this.#notifyWaiters()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array) {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size <= this.#limit) return
    if (this.#size > mostUnread) controller.pause()
    this.#notifyWaiters()
  }

  onResponseEnd() {
    this.#isComplete = true
    this.#notifyWaiters()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    this.#fail(error)
  }

  /** Destroys the socket, unless the response is complete. */
  abort(makeError: (isSent: boolean) => Error = () => aborted) {
    if (this.#isComplete || this.#error !== undefined) return
    const error = makeError(this.#controller !== undefined)
    this.#fail(error)
    const controller = this.#controller
    withoutStacks(() => (controller === undefined ? this.onAbandoned() : controller.abort(error)))
  }

  #fail(error: Error) {
    this.#error ??= error
    // the error can hold the response, through its stack and the fibers there: neither would ever be collected
    unread.unregister(this)
    this.#notifyWaiters()
  }

  #notifyWaiters() {
    if (this.#notify === undefined) return
    queueMicrotask(this.#notify)
    this.#notify = undefined
  }

  /** Waits for a change after `begin`. An interruption destroys the socket. */
  #waitForChange(begin: () => void): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const before = this.#notify
      // V8 puts a function that is written to the right of a property into its old space, with all that it holds
      const notify = () => {
        before?.()
        resume(Effect.void)
      }
      this.#notify = notify
      begin()
      return Effect.sync(() => this.abort())
    })
  }

  /** Sends the request, and waits for the head of the response. */
  head(send: () => void): Effect.Effect<this, unknown> {
    return Effect.flatMap(this.#waitForChange(send), () => (this.status === 0 ? this.#failure : Effect.succeed(this)))
  }

  /** The body in one piece. */
  get bytes(): Effect.Effect<Uint8Array<ArrayBuffer>, unknown> {
    return Effect.map(this.collect(Infinity), () => (this.#bytes ??= this.#join()))
  }

  /** The chunks of the body, which stay for other readers. What follows after `limit` bytes is given up. */
  collect(limit: number): Effect.Effect<ReadonlyArray<Uint8Array>, unknown> {
    return Effect.suspend(() => {
      if (this.#isTaken) return taken
      if (this.#error !== undefined) return this.#failure
      this.#limit = limit
      if (!this.#isComplete && this.#size <= limit) {
        return Effect.flatMap(this.#waitForChange(this.#resume), () => this.collect(limit))
      }
      this.abort()
      return Effect.succeed(this.#chunks)
    })
  }

  /** The body as it arrives, as fast as it is read. */
  get stream(): Stream.Stream<Uint8Array, unknown> {
    return Stream.suspend((): Stream.Stream<Uint8Array, unknown> => {
      if (this.#limit > 0 && this.#isComplete) return Stream.fromIterable(this.#chunks)
      if (this.#isTaken || this.#limit > 0) return Stream.fromEffect(taken)
      this.#isTaken = true
      const pull: Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, unknown> = Effect.suspend(() => {
        const chunks = this.#chunks
        if (Arr.isArrayNonEmpty(chunks)) {
          this.#chunks = []
          this.#size = 0
          return Effect.succeed(chunks)
        }
        if (this.#error !== undefined) return this.#failure
        if (this.#isComplete) return Cause.done()
        return Effect.flatMap(this.#waitForChange(this.#resume), () => pull)
      })
      return Stream.ensuring(
        Stream.fromPull(Effect.succeed(pull)),
        Effect.sync(() => this.abort())
      )
    })
  }

  /** Gives up the rest of the body once nothing holds the response any more, through which alone it is read. */
  abortWhenUnreachable(response: object) {
    if (!this.#isComplete) unread.register(response, this, this)
  }

  get #failure(): Effect.Effect<never, unknown> {
    return Effect.fail<unknown>(this.#error ?? new Error("no response"))
  }

  readonly #resume = () => {
    this.#controller?.resume()
  }

  #join(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#size)
    let at = 0
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    this.#chunks = [bytes]
    return bytes
  }
}

/** One for all, since many can end at once, and its stack says nothing. */
const aborted = new Error("the request was aborted")
const taken = Effect.fail<unknown>(new TypeError("the body has already been read"))
