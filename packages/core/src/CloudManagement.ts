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
  /** Where the service is: an absolute `http` or `https` URL; a path is kept as a prefix. Credentials do not belong in it. */
  readonly baseUrl: string
  /** The key that signs every request. */
  readonly credentials: Credentials.Credentials
  /** How long a call may take. Default: {@link Deadline.standard}, 10 seconds an attempt and 60 in all. */
  readonly deadline?: Partial<Deadline.Deadline>
  /** When and how often a call is sent again. Default: {@link Retry.standard}, 3 attempts. */
  readonly retry?: Partial<Retry.Retry>
  /** How requests are held back to keep to a rate limit. Default: not at all. */
  readonly pacing?: Pacing
  /** Who hears of retries and assumed deletions. Default: nobody; `Log.effect` writes them to Effect's log. */
  readonly log?: Log
  /** Who hears of what is measured. Default: nobody; `Metrics.effect` counts it in Effect's metrics. */
  readonly metrics?: Metrics
  /** Largest response body that is read, in bytes after decompression. Default: 1 MiB. */
  readonly maxResponseBytes?: number
}

/** An option that no client can be built with; nothing was sent. */
export class InvalidOption extends Data.TaggedError("InvalidOption")<{
  /** Name of the option. */
  readonly option: "baseUrl" | "keyId" | "keySecret"
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

/** The base URL without a slash at its end. */
const parseBaseUrl = (baseUrl: string): Effect.Effect<string, InvalidOption> => {
  const { hash, origin, password, pathname, protocol, search, username } = URL.canParse(baseUrl)
    ? new URL(baseUrl)
    : new URL("invalid:")
  return /^https?:$/.test(protocol) && username + password + search + hash === ""
    ? Effect.succeed(origin + pathname.replace(/\/+$/, ""))
    : Effect.fail(
        new InvalidOption({
          option: "baseUrl",
          message:
            "baseUrl must be an absolute http or https URL without credentials, query or fragment, " +
            "as in https://api.example.com"
        })
      )
}

/** What UTF-8 can carry, and HTTP Basic takes (RFC 7617 §2). */
const printable = /^[^\u0000-\u001f\u007f\p{Surrogate}]+$/u

const checkCredentials = ({ keyId, keySecret }: Credentials.Credentials): Effect.Effect<void, InvalidOption> => {
  const refuse = (option: "keyId" | "keySecret", what: string) =>
    Effect.fail(
      new InvalidOption({
        option,
        message: `${option} must be text without ${what}; a line break at its end is the usual cause`
      })
    )
  return !printable.test(keyId) || keyId.includes(":")
    ? refuse("keyId", "colons and control characters")
    : printable.test(Redacted.value(keySecret))
      ? Effect.void
      : refuse("keySecret", "control characters")
}

const make = Effect.fnUntraced(function* (options: Options) {
  const client = yield* HttpClient.HttpClient
  const baseUrl = yield* parseBaseUrl(options.baseUrl)
  yield* checkCredentials(options.credentials)
  const execute = yield* Call.make({
    client,
    baseUrl,
    headers: { accept: "application/json", authorization: Redaction.authorization(options.credentials) },
    quote: Redaction.makeQuote(options.credentials),
    maxResponseBytes: options.maxResponseBytes ?? 1024 * 1024,
    deadline: { ...Deadline.standard, ...options.deadline },
    retry: { ...Retry.standard, ...options.retry },
    pacing: options.pacing,
    log: options.log,
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

/** A client from options. Provide a transport to it: any Layer of `HttpClient`. */
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
