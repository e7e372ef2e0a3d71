import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { constUndefined, identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import type * as HttpClient from "effect/http/HttpClient"
import type { ClientReason, CallError } from "./CallError.ts"
import type * as Credentials from "./Credentials.ts"
import * as Deadline from "./Deadline.ts"
import * as Call from "./internal/call.ts"
import * as LimitRules from "./internal/limitRules.ts"
import * as OptionRules from "./OptionRules.ts"
import { orUndefined, property } from "./internal/property.ts"
import * as Reporter from "./internal/reporter.ts"
import * as Signer from "./internal/signer.ts"
import type { Listener } from "./Event.ts"
import type * as Operation from "./Operation.ts"
import type { Pacing } from "./Pacing.ts"
import * as Retry from "./Retry.ts"
import * as Transport from "./Transport.ts"

/**
 * Operations by group and name.
 */
export type Registry = { readonly [group: string]: { readonly [name: string]: Operation.Any } }

/**
 * Runs any operation, including those that are not in the client's registry.
 */
export interface Calls {
  /**
   * Performs an operation and returns the decoded content of its success, including the whole envelope if there is one.
   */
  readonly execute: <O extends Operation.Any>(
    operation: O,
    input: Operation.Input<O>
  ) => Effect.Effect<Operation.Success<O>, CallError<Operation.Refusals<O> | ClientReason>>
  /** Like `execute`, and also returns the status, the headers, the request's ID and the number of attempts. */
  readonly exchange: <O extends Operation.Any>(
    operation: O,
    input: Operation.Input<O>
  ) => Effect.Effect<Operation.Exchange<Operation.Success<O>>, CallError<Operation.Refusals<O> | ClientReason>>
}

/**
 * One method per operation of a registry, which returns the `result` of an envelope, or the whole content if there is
 * none.
 */
export type Methods<Api extends Registry> = {
  readonly [Group in keyof Api]: Operation.MethodsOf<
    Api[Group],
    Calling,
    {
      readonly [Name in keyof Api[Group]]: (
        ...input: Operation.Arguments<Api[Group][Name]>
      ) => Effect.Effect<
        Operation.Result<Api[Group][Name]>,
        CallError<Operation.Refusals<Api[Group][Name]> | ClientReason>
      >
    }
  >
}

interface Calling extends Operation.Calling {
  readonly parameters: this["operation"] extends infer O extends Operation.Any ? Operation.Arguments<O> : never
  readonly result: this["operation"] extends infer O extends Operation.Any
    ? Effect.Effect<Operation.Result<O>, CallError<Operation.Refusals<O> | ClientReason>>
    : never
}

/**
 * A client for the operations of a registry.
 */
export type Client<Api extends Registry> = Methods<Api> & Calls

/**
 * The options of a client.
 */
export interface Options {
  /**
   * The URL of the service: absolute, `http` or `https`, without credentials; a path is kept as a prefix. With `http`,
   * the key is sent in plain text; if the host is another machine, `log` receives an `InsecureBaseUrl`.
   */
  readonly baseUrl: string
  /** They sign every request: an API key, or credentials of another kind; `Credentials.none` for a public service. */
  readonly credentials: Credentials.Credentials
  /** How long a call may take. Default: {@link Deadline.standard}, 10 seconds per attempt and 60 in total. */
  readonly deadline?: Partial<Deadline.Deadline>
  /** When and how often a call is sent again. Default: {@link Retry.standard}, 3 attempts. */
  readonly retry?: Partial<Retry.Retry>
  /** How requests are delayed to stay within a rate limit. Default: not at all. */
  readonly pacing?: Pacing
  /** Receives all that happens in the client, and its warnings (`Event`). Default: none; `Log.effect` is for Effect's log. */
  readonly log?: Listener
  /** Receives the same events of calls as `log`. Default: none; `Metrics.effect` counts them in Effect's metrics. */
  readonly metrics?: Listener
  /** Largest response body that is read, in bytes after decompression; a larger one is an `InvalidResponse`. Default: 10 MiB. */
  readonly maxResponseBytes?: number
  /** The header of responses that identifies a request in the service's logs. Default: `x-request-id`. */
  readonly requestIdHeader?: string
}

/**
 * The options of a client whose key may change.
 */
export interface RotatingOptions<out E = never, out R = never> extends Omit<Options, "credentials"> {
  /**
   * Reads what signs every request: when the client is built, before it ends (`Credentials.expiring`), and again after a
   * 401.
   *
   * **Details**
   *
   * If it fails when the client is built, the client's layer fails. After a 401, one run of the Effect serves all calls
   * that were rejected with the same key. Each of them is sent again once if the key has changed. Otherwise the 401 is
   * final: the key is the same, or `log` receives a `RenewalFailed`, because the Effect failed, HTTP cannot carry
   * its value, or it took longer than `deadline.attempt`. A run continues if a call that waits for it is interrupted, and
   * ends with the scope in which the client was built.
   */
  readonly credentials: Effect.Effect<Credentials.Credentials, E, R>
}

/**
 * An option is invalid: the client's layer fails with this error before anything is sent.
 */
export class InvalidOption extends Data.TaggedError("InvalidOption")<{
  /**
   * Name of the option, or the path of a limit in it, such as `deadline.attempt` or `retry.budget.capacity`; also a name
   * that is not an option.
   */
  readonly option: keyof Options | "keyId" | "keySecret" | `deadline.${string}` | `retry.${string}` | (string & {})
  readonly message: string
}> {}

const tokens: OptionRules.Kind = ["a number of at least 0", (value) => Predicate.isNumber(value) && value >= 0]

const kinds: Readonly<Record<keyof Options, OptionRules.Kind>> = {
  // what a URL and a key are, `make` says
  baseUrl: OptionRules.text,
  credentials: OptionRules.object,
  deadline: OptionRules.object,
  retry: OptionRules.object,
  pacing: ["Pacing.adaptive or Pacing.fixed(…)", (value) => Effect.isEffect(property(value, "make"))],
  log: OptionRules.callable,
  metrics: OptionRules.callable,
  maxResponseBytes: LimitRules.countOrInfinity,
  requestIdHeader: OptionRules.text
}

/** An absolute URL without credentials, query and fragment. */
const absolute = /^https?:\/\/[^/?#@\\\s]+(\/[^?#]*)?$/i
/**
 * A host that is this machine: `localhost` and the names below it (RFC 6761 §6.3), 127.0.0.0/8 (RFC 1122 §3.2.1.3) and
 * `[::1]` (RFC 4291 §2.5.3).
 */
const loopback = /^(127\.[\d.]+|\[::1]|(.*\.)?localhost)$/
const methods = <Api extends Registry>(operations: Api, prepare: Call.Prepare): Methods<Api> => {
  const made: object = Record.map(operations, (group) =>
    Record.map(group, (operation) => {
      const call = prepare(operation)
      const { unwrap = identity<unknown> } = operation.success
      const result = ({ value }: Operation.Exchange<unknown>) => unwrap(value)
      return (input: Operation.Input<Operation.Any> = {}) => Effect.map(call(input), result)
    })
  )
  // oxlint-disable-next-line typescript/consistent-type-assertions -- each method has the types of its operation
  return made as Methods<Api>
}

/** The problem with the keys of a registry: a sentence, or `never`. */
type Misnamed<Api extends Registry> = {
  [Group in keyof Api & string]: Group extends keyof Calls
    ? `${Group} is a method of every client, and cannot be a group`
    : {
        [Name in keyof Api[Group] & string]: Api[Group][Name] extends { readonly group: Group; readonly name: Name }
          ? never
          : `${Group}.${Name} is the operation ${Api[Group][Name]["group"]}.${Api[Group][Name]["name"]}`
      }[keyof Api[Group] & string]
}[keyof Api & string]

/**
 * A registry whose keys are the groups and names of its operations, or an object whose one property is a sentence that says
 * which are not. In place of the parameter's type it stands at the beginning of the compiler's message.
 */
export type Consistent<Api extends Registry> = [Misnamed<Api>] extends [never]
  ? Api
  : { readonly [Sentence in Misnamed<Api>]: never }

/**
 * Creates a client for a registry.
 *
 * **Example** (Creating a client for a registry)
 *
 * ```ts
 * import * as Context from "effect/Context"
 * import * as Layer from "effect/Layer"
 * import * as Body from "@cloud-management/client/Body"
 * import * as Client from "@cloud-management/client/Client"
 * import * as Credentials from "@cloud-management/client/Credentials"
 * import * as Operation from "@cloud-management/client/Operation"
 * import * as Schema from "effect/Schema"
 *
 * const pets = {
 *   list: Operation.make({
 *     group: "pets",
 *     name: "list",
 *     method: "GET",
 *     path: "/v1/pets",
 *     success: Body.json(Schema.Array(Schema.Struct({ name: Schema.String }))),
 *     errors: []
 *   })
 * }
 * const api = { pets }
 *
 * class PetStore extends Context.Service<PetStore, Client.Client<typeof api>>()("PetStore") {
 *   static readonly layer = (token: string) =>
 *     Layer.effect(
 *       PetStore,
 *       Client.make(api, { baseUrl: "https://api.example.com", credentials: Credentials.bearer(token) })
 *     )
 * }
 * ```
 */
export const make = Effect.fnUntraced(function* <const Api extends Registry, E = never, R = never>(
  operations: Consistent<Api>,
  options: Options | RotatingOptions<E, R>
): Effect.fn.Return<Client<Api>, InvalidOption | E, HttpClient.HttpClient | R> {
  const client = yield* Transport.HttpClient
  const { credentials, maxResponseBytes = 10 * 2 ** 20 } = options
  const log = Reporter.guarded(options.log)
  const metrics = Reporter.guarded(options.metrics)
  const deadline = { ...Deadline.standard, ...options.deadline }
  const retry = { ...Retry.standard, ...options.retry }

  const check = (option: InvalidOption["option"], rule: string | false | undefined) =>
    rule ? Effect.fail(new InvalidOption({ option, message: `${option} must be ${rule}` })) : Effect.void
  const validate = Effect.fnUntraced(function* (credentials: Credentials.Credentials) {
    // any part can be missing, and a secret can be wiped, or not redacted
    const [problem] = orUndefined(() => {
      const secrets = credentials.secrets.map((secret) => orUndefined(() => Redacted.value(secret)))
      return Predicate.isFunction(credentials.sign) && [credentials.problem?.(secrets)]
    }) || [["credentials", "made by the module Credentials"] as const]
    if (problem !== undefined) yield* check(...problem)
    return credentials
  })
  yield* check(
    "baseUrl",
    !(absolute.test(options.baseUrl) && orUndefined(() => new URL(options.baseUrl))) &&
      "an absolute http or https URL without credentials, query or fragment, such as https://api.example.com"
  )
  // one that is given takes the place of the whole
  const { budget } = Retry.standard
  for (const [group, limits, rules] of [
    ["", options, kinds],
    ["deadline.", deadline, LimitRules.deadline],
    ["retry.", retry, { ...LimitRules.retry, budget: OptionRules.object }],
    ["retry.budget.", { ...Record.map(budget, constUndefined), ...retry.budget }, Record.map(budget, () => tokens)]
  ] as const) {
    for (const [name, limit] of Object.entries(limits)) {
      yield* check(group + name, (group || limit !== undefined) && OptionRules.ruleOf(rules, name, limit))
    }
  }
  let { hostname, href: baseUrl, protocol } = new URL(options.baseUrl)
  while (baseUrl.endsWith("/")) baseUrl = baseUrl.slice(0, -1)
  const signer = yield* Signer.make(
    Effect.flatMap(Effect.isEffect(credentials) ? credentials : Effect.succeed(credentials), validate),
    OptionRules.millis(deadline.attempt),
    hostname,
    (error) =>
      log
        ? log({
            _tag: "RenewalFailed",
            // the text of another error can hold the credentials
            problem: error instanceof InvalidOption ? error.message : "the credentials cannot be read"
          })
        : Effect.void
  )

  if (log && protocol === "http:" && !loopback.test(hostname)) {
    yield* log({ _tag: "InsecureBaseUrl", baseUrl })
  }
  const prepare = yield* Call.make({
    client,
    baseUrl,
    signer,
    maxResponseBytes,
    deadline: Record.map(deadline, OptionRules.millis),
    retry,
    requestIdHeader: (options.requestIdHeader ?? "x-request-id").toLowerCase(),
    pacing: options.pacing,
    listener: metrics && log ? (event) => Effect.andThen(metrics(event), log(event)) : (metrics ?? log)
  })
  const exchange: Calls["exchange"] = (operation, input) => prepare(operation)(input)
  return {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- a registry that fits is the registry itself
    ...methods(operations as Api, prepare),
    exchange,
    execute: (operation, input) => Effect.map(exchange(operation, input), ({ value }) => value)
  }
})
