/**
 * The catalogue of a client's telemetry: names of spans and attributes. HTTP names follow
 * OpenTelemetry's semantic conventions for HTTP (stable since v1.23; read in v1.44); a client's own names start with the name
 * of its API, in lower case: `pet_store` for `Pet Store`.
 *
 * Names and metric attributes never contain IDs of resources, because paths are templates. These IDs appear only in
 * `url.full` of an attempt's span, which the conventions require.
 */
/** How the names of an API's client begin. */
const prefixOf = (api: string): string =>
  api
    .toLowerCase()
    .match(/[a-z\d]+/g)
    ?.join("_") ?? "api"

/**
 * The names of spans and attributes of an API's client.
 */
export const make = (api: string) => {
  const own = prefixOf(api)
  /** Attribute keys of spans, events and metrics. */
  const attributes = {
    /** `group.name` of the operation, such as `pets.list`. */
    operation: `${own}.operation`,
    /** The operation's `id`, such as its `operationId` in a document; absent if it has none. Only on spans. */
    id: `${own}.operation.id`,
    /** Attempts of the call so far. */
    attempts: `${own}.attempts`,
    /** `true` on a deletion that found nothing after an earlier attempt of the same call that may have been applied. */
    assumedDeleted: `${own}.assumed_deleted`,
    /** `true` on a call that was interrupted. The conventions do not count that as an error. */
    cancelled: `${own}.cancelled`,
    /**
     * The cause of a wait: `backoff`, `hint` (the service asked for it), `pacing`, or `credentials` (read again after a
     * 401).
     */
    wait: `${own}.wait`,
    /** How long it waited, in seconds. */
    waitSeconds: `${own}.wait.duration`,
    /** Whether the client kept a wait that the service asked for: `true`, or `false` if it was too long for the call. */
    honored: `${own}.hint.honored`,
    /** Tokens left in the retry budget. */
    budget: `${own}.retry_budget.available`,
    /**
     * Class of the error, absent on a success. For an attempt: the HTTP status if it is at least 400, otherwise the tag
     * of the reason. For a call: the tag of the reason. For a defect: `_OTHER`.
     */
    errorType: "error.type",
    method: "http.request.method",
    /** How many times the request was sent before; absent on the first attempt. */
    resendCount: "http.request.resend_count",
    status: "http.response.status_code",
    /** The request's ID, as in the service's logs: from the body, otherwise from the header. Only on spans. */
    requestId: "http.response.header.x-request-id",
    address: "server.address",
    /** An integer on spans. A string on metrics, because attributes of `effect/Metric` have no other type. */
    port: "server.port",
    /** The whole URL, without the values of redacted parameters; only on spans, because it contains IDs. */
    url: "url.full",
    /** Path template of the operation, without the path of the base URL. */
    template: "url.template"
  }

  /** Names of spans, and of the event on them. */
  const spans = {
    /** Around a whole call, attempts and waits; kind `internal`. */
    call: (operation: string) => `${own} ${operation}`,
    /** Around one request until its response is read and decoded; kind `client`. The service can continue its trace. */
    attempt: (method: string, template: string) => `${method} ${template}`,
    /** On the span of a call: it waits before its next attempt. */
    wait: `${own}.wait`
  }

  return { prefix: own, attributes, spans }
}

/**
 * The result of {@link make}.
 */
export interface Telemetry extends ReturnType<typeof make> {}
