import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as HttpClient from "effect/http/HttpClient"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Credentials from "./Credentials.ts"
import * as Deadline from "./Deadline.ts"
import * as Call from "./internal/call.ts"
import * as Redaction from "./internal/redaction.ts"
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
  /** Largest response body that is read, in bytes after decompression. Default: 1 MiB. */
  readonly maxResponseBytes?: number
}

/** An option that no client can be built with; nothing was sent. */
export class InvalidOption extends Schema.TaggedError<InvalidOption>()("InvalidOption", {
  /** Name of the option. */
  option: Schema.Literals(["baseUrl", "keyId", "keySecret"]),
  message: Schema.String
}) {}

/**
 * The client of the Cloud Management API.
 *
 * Every method returns the unwrapped result and fails with a `CloudError` whose `reason` is exact for the operation.
 * `execute` returns the whole envelope and runs operations of your own.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as FetchHttpClient from "effect/http/FetchHttpClient"
 * import * as CloudManagement from "@cloud-management/core/CloudManagement"
 *
 * const program = Effect.gen(function*() {
 *   const cloud = yield* CloudManagement.CloudManagement
 *   const [organization] = yield* cloud.organizations.list()
 *   return organization.name
 * }).pipe(Effect.provide(CloudManagement.layerConfig().pipe(Layer.provide(FetchHttpClient.layer))))
 */
export class CloudManagement extends Context.Service<
  CloudManagement,
  {
    readonly organizations: {
      /** The organization of the calling key: exactly one on a service that follows the specification. */
      readonly list: () => Effect.Effect<
        NonEmptyReadonlyArray<Organization>,
        Operation.Failure<typeof listOrganizations>
      >
    }
    readonly apiKeys: {
      /** Deletes a key of the organization that is not the calling key. */
      readonly delete: (
        params: Operation.Params<typeof deleteApiKey>
      ) => Effect.Effect<void, Operation.Failure<typeof deleteApiKey>>
    }
    readonly reversePrivateEndpoints: {
      /**
       * Reads one reverse private endpoint of a service.
       *
       * @beta The contract is declared stable, and no breaking change is expected (specification, section 9).
       */
      readonly get: (
        params: Operation.Params<typeof getReversePrivateEndpoint>
      ) => Effect.Effect<ReversePrivateEndpoint, Operation.Failure<typeof getReversePrivateEndpoint>>
    }
    /** Performs any operation and returns the whole envelope, with the request's ID. */
    readonly execute: <O extends Operation.Any>(
      operation: O,
      params: Operation.Params<O>
    ) => Effect.Effect<Operation.Success<O>, Operation.Failure<O>>
  }
>()("@cloud-management/core/CloudManagement") {}

const parseBaseUrl = Effect.fnUntraced(function* (baseUrl: string) {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  const problem =
    url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")
      ? "must be an absolute http or https URL, as in https://api.example.com"
      : url.username !== "" || url.password !== ""
        ? "must not hold credentials: pass them as `credentials`"
        : url.search !== "" || url.hash !== ""
          ? "must not have a query or a fragment"
          : undefined
  if (url === undefined || problem !== undefined) {
    return yield* new InvalidOption({ option: "baseUrl", message: `baseUrl ${problem}` })
  }
  return url.origin + url.pathname.replace(/\/+$/, "")
})

const checkCredentials = Effect.fnUntraced(function* ({ keyId, keySecret }: Credentials.Credentials) {
  const parts = [
    ["keyId", keyId],
    ["keySecret", Redacted.value(keySecret)]
  ] as const
  for (const [option, text] of parts) {
    const problem =
      text === ""
        ? "is empty"
        : /[\u0000-\u001f\u007f]/.test(text)
          ? "has a control character; a line break at its end is the usual cause"
          : /\p{Surrogate}/u.test(text)
            ? "is not well-formed Unicode, which UTF-8 cannot carry"
            : option === "keyId" && text.includes(":")
              ? "has a colon, which HTTP Basic cannot carry in a key ID (RFC 7617)"
              : undefined
    if (problem !== undefined) return yield* new InvalidOption({ option, message: `${option} ${problem}` })
  }
})

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
    pacing: options.pacing
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
