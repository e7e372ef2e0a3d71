import * as Deadline from "@cloud-management/client/Deadline"
import * as Operation from "@cloud-management/client/Operation"
import * as RequestHeaders from "@cloud-management/client/RequestHeaders"
import * as Retry from "@cloud-management/client/Retry"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import type * as HttpClient from "effect/http/HttpClient"
import { Call } from "../Call.ts"
import type { CallOptions, Client as ClientOf, ClientConstructor, Options, PageOptions, Registry } from "../Client.ts"
import * as Connection from "./connection.ts"
import * as Dates from "./dates.ts"
import type { Failure } from "./failure.ts"
import * as Settings from "./settings.ts"
import { locate } from "./site.ts"

/** The input of a call, with the path's variables and the other parts side by side. */
type Input = Readonly<Record<string, unknown>>

const convertWhole: NonNullable<Operation.Any["success"]["iterate"]> = (value, _, convert) => convert(value)

const makeMethod = ({ exchange, run }: Connection.Connection, operation: Operation.Any) => {
  const { headers, pagination, params, payload, query, success } = operation
  const { iterate = convertWhole, unwrap = identity } = success
  const takesInput = (headers ?? params ?? payload ?? query) !== undefined

  /** An operation without an input has its options in the first place; a program without types can pass an input too. */
  const split = (args: ReadonlyArray<Input & PageOptions>): readonly [input: Input, options: PageOptions] => {
    const [input, options] = takesInput || args[1] !== undefined ? args : [{}, ...args]
    // null as well, of a program without types
    return [input ?? {}, options ?? {}]
  }
  /** Prepares the error of a call that rejects; `release` gives up the input that was not sent. */
  const located = (site: Error, release?: () => void) => (error: Error) => {
    release?.()
    return locate(error, site, Operation.nameOf(operation))
  }
  /** Runs an effect that makes one call, within its limits, if it has any of its own. */
  const runCall = <A>(
    site: Error,
    input: Input,
    options: CallOptions,
    call: (input: Input) => Effect.Effect<A, Failure>
  ) => {
    const { deadline, maxRetries, signal, stall, timeout } = options
    return run(
      Effect.suspend(() => {
        Settings.check(options, Settings.ofCall)
        const headers = Settings.headers(options, operation)
        const plain = call(Dates.ofInput(input))
        const effect = headers === undefined ? plain : RequestHeaders.within(plain, headers)
        if ((timeout ?? deadline ?? stall ?? maxRetries) === undefined) return effect
        const policies = Settings.policies(options)
        return effect.pipe(Deadline.within(policies.deadline), Retry.within(policies.retry))
      }),
      signal,
      located(site, payload?.hold?.(input))
    )
  }

  const method = (...args: ReadonlyArray<Input & PageOptions>) => {
    const site = new Error()
    const [input, options] = split(args)
    return new Call(
      // not in the call itself, whose fiber would hold a generator that the program has dropped
      runCall(site, input, options, (input) => exchange(operation, input)).then(({ value, ...rest }) => ({
        ...rest,
        data: iterate(unwrap(value), (effect) => run(effect, options.signal, located(site)), Dates.toDates)
      }))
    )
  }
  if (pagination === undefined) return method
  const { reader } = pagination

  async function* read(site: Error, args: ReadonlyArray<Input & PageOptions>) {
    const [input, { from: start, ...options }] = split(args)
    const from = Settings.place(start, options)
    let next: ReturnType<typeof reader<Failure>> | undefined
    for (;;) {
      const page = await runCall(
        site,
        input,
        options,
        (input) =>
          (next ??= reader(
            (query) => exchange({ ...operation, ...(query && { query }) }, input),
            operation,
            input,
            from
          ))
      )
      if (page === undefined) return
      yield { ...page, items: page.items.map(Dates.toDates) }
    }
  }
  async function* flatten(pages: ReturnType<typeof read>) {
    for await (const page of pages) yield* page.items
  }
  return Object.assign(method, {
    pages: (...args: ReadonlyArray<Input & PageOptions>) => read(new Error(), args),
    items: (...args: ReadonlyArray<Input & PageOptions>) => flatten(read(new Error(), args))
  })
}

/** Makes the clients whose requests a transport makes, or another one, if they have a `fetch` of their own. */
export const over = (transport: Layer.Layer<HttpClient.HttpClient>, overFetch = transport): ClientConstructor => {
  const Client: unknown = class Client implements ClientOf<{}> {
    readonly #connection: Connection.Connection

    constructor(options: Options & { readonly operations: Registry }) {
      Settings.checkClient(options ?? {})
      const connection = Connection.make(transport, overFetch, options)
      this.#connection = connection
      Object.assign(
        this,
        Record.map(options.operations, (group) => Record.map(group, (operation) => makeMethod(connection, operation)))
      )
    }

    close(): Promise<void> {
      return this.#connection.close()
    }

    [Symbol.asyncDispose](): Promise<void> {
      return this.close()
    }
  }
  // oxlint-disable-next-line typescript/consistent-type-assertions -- its constructor adds the methods of a registry
  return Client as ClientConstructor
}
