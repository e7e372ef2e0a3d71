import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as HttpClient from "effect/http/HttpClient"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { CloudError, Local } from "./CloudError.ts"
import * as Credentials from "./Credentials.ts"
import * as Deadline from "./Deadline.ts"
import * as Call from "./internal/call.ts"
import * as Limits from "./internal/limits.ts"
import * as Redaction from "./internal/redaction.ts"
import type { Log } from "./Log.ts"
import type { Metrics } from "./Metrics.ts"
import type * as Operation from "./Operation.ts"
import { deleteApiKey, getReversePrivateEndpoint, listOrganizations } from "./operations.ts"
import type { Organization } from "./Organization.ts"
import type { Pacing } from "./Pacing.ts"
import * as Retry from "./Retry.ts"
import type { ReversePrivateEndpoint } from "./ReversePrivateEndpoint.ts"

/** What a client is made of. */
export interface Options {
  /**
   * Where the service is: an absolute `http` or `https` URL; a path is kept as a prefix. Credentials do not belong in it.
   * With `http` the key travels in plain text; for a host that is not this machine, `log` gets an `InsecureBaseUrl`.
   */
  readonly baseUrl: string
  /** The key that signs every request. */
  readonly credentials: Credentials.Credentials
  /** How long a call may take. Default: {@link Deadline.standard}, 10 seconds an attempt and 60 in all. */
  readonly deadline?: Partial<Deadline.Deadline>
  /** When and how often a call is sent again. Default: {@link Retry.standard}, 3 attempts. */
  readonly retry?: Partial<Retry.Retry>
  /** How requests are held back to keep to a rate limit. Default: not at all. */
  readonly pacing?: Pacing
  /**
   * Receives retries, assumed deletions and an insecure base URL. Default: none; `Log.effect` writes them to Effect's log.
   */
  readonly log?: Log
  /** Who hears of what is measured. Default: nobody; `Metrics.effect` counts it in Effect's metrics. */
  readonly metrics?: Metrics
  /** Largest response body that is read, in bytes after decompression; a larger one is an `InvalidResponse`. Default: 1 MiB. */
  readonly maxResponseBytes?: number
}

/** An option that no client can be built with: the error of the client's layer. Nothing was sent. */
export class InvalidOption extends Data.TaggedError("InvalidOption")<{
  /** Name of the option, or the path of a limit in it, as in `deadline.attempt` and `retry.budget.capacity`. */
  readonly option: "baseUrl" | "keyId" | "keySecret" | "maxResponseBytes" | `deadline.${string}` | `retry.${string}`
  readonly message: string
}> {}

/**
 * The client of the Cloud Management API.
 *
 * Every method returns the unwrapped result and fails with a `CloudError` whose `reason` is exact for the operation.
 * `execute` returns the whole envelope and runs operations of your own.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as NodeTransport from "@cloud-management/node/NodeTransport"
 *
 * const program = Effect.gen(function*() {
 *   const cloud = yield* CloudManagement.CloudManagement
 *   const [organization] = yield* cloud.organizations.list()
 *   return organization.name
 * }).pipe(Effect.provide(CloudManagement.layerConfig().pipe(Layer.provide(NodeTransport.layer))))
 */
export class CloudManagement extends Context.Service<
  CloudManagement,
  // not Operation.Failure, which editors and the compiler show with the whole operation in it: this way it is the reasons
  {
    readonly organizations: {
      /** The organization of the calling key: exactly one on a service that follows the specification. */
      readonly list: () => Effect.Effect<
        NonEmptyReadonlyArray<Organization>,
        CloudError<Operation.Refusals<typeof listOrganizations> | Local>
      >
    }
    readonly apiKeys: {
      /** Deletes a key of the organization that is not the calling key. */
      readonly delete: (
        params: Operation.Params<typeof deleteApiKey>
      ) => Effect.Effect<void, CloudError<Operation.Refusals<typeof deleteApiKey> | Local>>
    }
    readonly reversePrivateEndpoints: {
      /**
       * Reads one reverse private endpoint of a service.
       *
       * @beta The contract is declared stable, and no breaking change is expected (specification, section 9).
       */
      readonly get: (
        params: Operation.Params<typeof getReversePrivateEndpoint>
      ) => Effect.Effect<
        ReversePrivateEndpoint,
        CloudError<Operation.Refusals<typeof getReversePrivateEndpoint> | Local>
      >
    }
    /** Performs any operation and returns the whole envelope, with the request's ID. */
    readonly execute: <O extends Operation.Any>(
      operation: O,
      params: Operation.Params<O>
    ) => Effect.Effect<Operation.Success<O>, CloudError<Operation.Refusals<O> | Local>>
  }
>()("@cloud-management/core/CloudManagement") {}

/** An absolute URL without credentials, query and fragment. */
const absolute = /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i
/**
 * A host that is this machine: `localhost` and the names below it (RFC 6761 §6.3), 127.0.0.0/8 (RFC 1122 §3.2.1.3) and
 * `[::1]` (RFC 4291 §2.5.3).
 */
const loopback = /^(127\.[\d.]+|\[::1]|(.*\.)?localhost)$/
/** What UTF-8 can carry, and HTTP Basic takes (RFC 7617 §2). */
const printable = /^[^\u0000-\u001f\u007f\p{Surrogate}]+$/u

const make = Effect.fnUntraced(function* (options: Options) {
  const client = yield* HttpClient.HttpClient
  const { credentials, log = () => Effect.void, maxResponseBytes = 1024 * 1024 } = options
  const deadline = { ...Deadline.standard, ...options.deadline }
  const retry = { ...Retry.standard, ...options.retry }
  const { budget, ...waits } = retry

  const check = (option: InvalidOption["option"], rule: string | undefined) =>
    rule === undefined ? Effect.void : Effect.fail(new InvalidOption({ option, message: `${option} must be ${rule}` }))
  const text = (others: string) =>
    `text without ${others}control characters; a line break at its end is the usual cause`
  yield* check(
    "baseUrl",
    absolute.test(options.baseUrl) && URL.canParse(options.baseUrl)
      ? undefined
      : "an absolute http or https URL without credentials, query or fragment, as in https://api.example.com"
  )
  yield* check(
    "keyId",
    printable.test(credentials.keyId) && !credentials.keyId.includes(":") ? undefined : text("colons and ")
  )
  yield* check("keySecret", printable.test(Redacted.value(credentials.keySecret)) ? undefined : text(""))
  yield* check("maxResponseBytes", Limits.ruleOf("", maxResponseBytes))
  for (const [policy, limits] of [
    ["deadline", deadline],
    ["retry", waits],
    ["retry.budget", budget]
  ] as const) {
    for (const [name, limit] of Object.entries(limits)) {
      yield* check(`${policy}.${name}`, Limits.ruleOf(name, limit))
    }
  }

  let { hostname, href: baseUrl, protocol } = new URL(options.baseUrl)
  while (baseUrl.endsWith("/")) baseUrl = baseUrl.slice(0, -1)
  if (protocol === "http:" && !loopback.test(hostname)) yield* log({ _tag: "InsecureBaseUrl", baseUrl })
  const execute = yield* Call.make({
    client,
    baseUrl,
    headers: { accept: "application/json", authorization: Redaction.authorization(credentials) },
    quote: Redaction.makeQuote(credentials),
    maxResponseBytes,
    deadline,
    retry,
    pacing: options.pacing,
    log,
    metrics: options.metrics
  })

  return CloudManagement.of({
    execute,
    organizations: {
      list: () => Effect.map(execute(listOrganizations, {}), ({ result }) => result)
    },
    apiKeys: {
      delete: (params) => Effect.asVoid(execute(deleteApiKey, params))
    },
    reversePrivateEndpoints: {
      get: (params) => Effect.map(execute(getReversePrivateEndpoint, params), ({ result }) => result)
    }
  })
})

/**
 * A client from options. Provide a transport to it: any Layer of `HttpClient`.
 *
 * Fails with {@link InvalidOption} for options that no call can be made with: a base URL that is not one, credentials that
 * HTTP Basic cannot carry, a limit that is negative or not a duration, less than one attempt.
 *
 * @example
 * import * as Layer from "effect/Layer"
 * import type * as HttpClient from "effect/http/HttpClient"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 * import * as Credentials from "@cloud-management/core/Credentials"
 * import * as Retry from "@cloud-management/core/Retry"
 *
 * declare const secret: string
 * declare const transport: Layer.Layer<HttpClient.HttpClient>
 * const cloud = CloudManagement.layer({
 *   baseUrl: "https://api.example.com",
 *   credentials: Credentials.make("12345678-1234-1234-1234-123456789012", secret),
 *   retry: Retry.patient,
 *   deadline: { total: "10 minutes" },
 *   maxResponseBytes: 64 * 1024
 * }).pipe(Layer.provide(transport))
 */
export const layer = (options: Options): Layer.Layer<CloudManagement, InvalidOption, HttpClient.HttpClient> =>
  Layer.effect(CloudManagement, make(options))

/**
 * A client from `CLOUD_MANAGEMENT_BASE_URL`, `CLOUD_MANAGEMENT_KEY_ID` and `CLOUD_MANAGEMENT_KEY_SECRET`, as the
 * `ConfigProvider` finds them (by default in the environment).
 */
export const layerConfig = (
  options?: Omit<Options, "baseUrl" | "credentials">
): Layer.Layer<CloudManagement, InvalidOption | Config.ConfigError, HttpClient.HttpClient> =>
  Layer.effect(
    CloudManagement,
    Effect.flatMap(
      Config.all({ baseUrl: Config.NonEmptyString("CLOUD_MANAGEMENT_BASE_URL"), credentials: Credentials.config }),
      (config) => make({ ...options, ...config })
    )
  )
