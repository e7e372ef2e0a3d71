import { mutations, type Mutation } from "./Mutation.ts"

/** Whom the service knows, and what it looks at in which order. */
export const authentication: ReadonlyArray<Mutation> = [
  ...mutations("service/src/Service.ts", "service/test/Service.test.ts", {
    "the route is looked at before the form of the request": [
      "Effect.flatMap(WellFormed.head(request), () =>",
      "Effect.flatMap(Effect.void, () =>"
    ],
    "a path that is not routed asks for a key": [
      'Effect.succeed(HttpServerResponse.text("Not Found\\n", { status: 404 }))',
      "Effect.fail(Authentication.unknown)"
    ],
    "the organization is looked at before the rate limit": [
      "const { headers, refused } = yield* countRequest(key)",
      "yield* serve(exchange, key)\n      const { headers, refused } = yield* countRequest(key)"
    ],
    "the rate limit refuses nobody": ["refused === undefined", "true"],
    "ids are looked at before the organization": [
      "const ids = lowerCase(exchange.params)",
      "const ids = lowerCase(exchange.params)\n      yield* Effect.mapError(Schema.decodeUnknownEffect(operation.params)(ids), () => new CloudError.BadRequest({ message: '' }))"
    ],
    "what is no UUID is looked for": ["Schema.decodeUnknownEffect(operation.params)(ids)", "Effect.succeed(ids)"],
    "failed authentications are not counted": ["wait > 0", "false"]
  }),
  ...mutations("service/src/internal/wellFormed.ts", "service/test/Service.test.ts", {
    "of two Authorization headers one is taken": ['/^basic\\b.*,/is.test(headers["authorization"] ?? "")', "false"]
  }),
  ...mutations("service/src/internal/keyLimit.ts", "service/test/Service.test.ts", {
    "all keys share one rate limit": ["count(id)", 'count("")'],
    "one request more than the limit is served": ["count > limit\n", "count > limit + 1\n"]
  }),
  ...mutations("service/src/internal/failedAuthentications.ts", "service/test/Service.test.ts", {
    "all addresses share the failed authentications": ["count(Address.network(address))", 'count("")'],
    "an address never fails too often": ["count <= limit ? 0 : endsIn", "0"]
  }),
  ...mutations("service/src/RateLimitStore.ts", "service/test/Service.test.ts", {
    "a window of the rate limit never ends": ["window.endsAt <= now", "false"]
  }),
  ...mutations("service/src/internal/answers.ts", "service/test/Service.test.ts", {
    "a 401 has no challenge": ["status === 401 && ", "false && "]
  }),
  ...mutations("service/src/Authentication.ts", "service/test/Authentication.test.ts", {
    "any secret opens the service": [
      "!ApiKeySecret.verify(secret, key?.digest) || key === undefined",
      "key === undefined"
    ],
    "without the secret one learns that a key is disabled": [
      "!ApiKeySecret.verify(secret, key?.digest) || key === undefined",
      'key === undefined || (key.state === "enabled" && !ApiKeySecret.verify(secret, key.digest))'
    ],
    "an unknown key and a wrong secret can be told apart": [
      '"wrong secret", unknown)',
      '"wrong secret", key === undefined ? unknown : inactive)'
    ],
    "the owner of an inactive key is not told": ['"expired key", inactive)', '"expired key", unknown)'],
    "inactive keys open the service": [
      "if (isActive(key, yield* Effect.clockWith((clock) => clock.currentTimeMillis))) return",
      "return"
    ],
    "a secret may hold no colon": ['text.indexOf(":")', 'text.lastIndexOf(":")'],
    "the scheme has to be Basic to the letter": ["/^basic +(\\S+) *$/i", "/^Basic +(\\S+) *$/"],
    "bytes that are not UTF-8 pass": ["{ fatal: true }", "{ fatal: false }"],
    "a key is remembered": ["yield* store.apiKey(id.value)", "(utf8[id.value] ??= yield* store.apiKey(id.value))"],
    "an ID in upper case is unknown": ["lowerCase(ApiKeyId)", "ApiKeyId"],
    "the store is asked for what is no ID": ["keyId(user)", "Option.some(user)"]
  }),
  ...mutations("service/src/ApiKeySecret.ts", "service/test/ApiKeySecret.test.ts", {
    "a secret of an unknown key is right": [
      "return equal && expected !== undefined",
      "return equal || expected === undefined"
    ],
    "every secret is right": ["return equal && expected !== undefined", "return expected !== undefined"],
    "a secret has 128 bits": ["randomBytes(32)", "randomBytes(16)"],
    "a secret cannot be recognised": ['prefix = "cmk_"', 'prefix = ""']
  })
]
