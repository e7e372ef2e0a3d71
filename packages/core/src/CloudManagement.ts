import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { CloudError, InvalidResponse, Timeout, type Outcome } from "./CloudError.ts"
import * as Credentials from "./Credentials.ts"
import * as Deadline from "./Deadline.ts"
import * as Answer from "./internal/answer.ts"
import * as Body from "./internal/body.ts"
import * as Redaction from "./internal/redaction.ts"
import * as Request from "./internal/request.ts"
import * as TransportFailure from "./internal/transportFailure.ts"
import type * as Operation from "./Operation.ts"
import { deleteApiKey, getReversePrivateEndpoint, listOrganizations } from "./operations.ts"
import type { Organization } from "./Organization.ts"
import type { ReversePrivateEndpoint } from "./ReversePrivateEndpoint.ts"

/** What a client is made of. */
export interface Options {
  /** Where the service is: an absolute `http` or `https` URL; a path is kept as a prefix. Credentials do not belong in it. */
  readonly baseUrl: string
  /** The key that signs every request. */
  readonly credentials: Credentials.Credentials
  /** How long a call may take. Default: {@link Deadline.standard}, 10 seconds an attempt. */
  readonly deadline?: Partial<Deadline.Deadline>
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
  const headers = { accept: "application/json", authorization: Redaction.authorization(options.credentials) }
  const quote = Redaction.makeQuote(options.credentials)
  const deadline = { ...Deadline.standard, ...options.deadline }
  const limit = options.maxResponseBytes ?? 1024 * 1024

  const execute = Effect.fnUntraced(function* <O extends Operation.Any>(operation: O, params: Operation.Params<O>) {
    const path = yield* Request.path(operation, params)
    const { attempt } = { ...deadline, ...(yield* Deadline.Override) }
    let status: number | undefined
    const fail = (reason: Operation.Failure<O>["reason"], outcome: Outcome): Operation.Failure<O> =>
      new CloudError({
        operation: `${operation.group}.${operation.name}`,
        method: operation.method,
        path: operation.path,
        ...(status !== undefined && { status }),
        attempts: 1,
        outcome,
        reason
      })
    const failTransport = (error: Parameters<typeof TransportFailure.classify>[0]) => {
      const { outcome, reason } = TransportFailure.classify(error, quote)
      return fail(reason, outcome)
    }
    return yield* client.execute(HttpClientRequest.make(operation.method)(baseUrl + path, { headers })).pipe(
      Effect.mapError(failTransport),
      Effect.flatMap((response) => {
        status = response.status
        return Effect.map(
          Effect.mapError(Body.read(response, limit), (error) =>
            error === Body.tooLarge
              ? fail(new InvalidResponse({ message: `the body exceeds ${limit} bytes` }), "unknown")
              : failTransport(error)
          ),
          (text) => ({ status: response.status, headers: response.headers, text })
        )
      }),
      Effect.flatMap((answer) => {
        const outcome = answer.status >= 300 && answer.status < 500 ? "refused" : "unknown"
        return Effect.fromResult(
          Result.mapError(Answer.interpret(operation, answer, quote), (reason) => fail(reason, outcome))
        )
      }),
      Effect.timeoutOrElse({
        duration: attempt,
        orElse: () => {
          const limit = Duration.fromInputUnsafe(attempt)
          return fail(new Timeout({ message: `no complete answer within ${Duration.format(limit)}`, limit }), "unknown")
        }
      })
    )
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
