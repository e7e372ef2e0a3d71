import { mutations, type Mutation } from "./Mutation.ts"

/** Whom the service knows, and what it looks at in which order. */
export const authentication: ReadonlyArray<Mutation> = [
  ...mutations("service/src/Service.ts", "service/test/Service.test.ts", {
    "the route is looked at before the form of the request": [
      "WellFormed.head(request) ?? match(request.method, pathOf(request))",
      '((found) => (found._tag === "Found" ? (WellFormed.head(request) ?? found) : found))(match(request.method, pathOf(request)))'
    ],
    "a path that is not routed asks for a key": [
      'Effect.succeed(HttpServerResponse.text("Not Found\\n", { status: 404 }))',
      "Effect.fail(Authentication.unknown)"
    ],
    "the organization is looked at before the rate limit": [
      "Effect.flatMap(countRequest(caller.key), (",
      "Effect.flatMap(Effect.andThen(serve(exchange, caller, body), countRequest(caller.key)), ("
    ],
    "the rate limit refuses nobody": ["refused === undefined", "true"],
    "ids are looked at before the organization": [
      "return forbidden ?? work",
      "return (Object.values(exchange.params).every((id) => isOrganizationId(id)) ? forbidden : undefined) ?? work"
    ],
    "failed authentications are not counted": ["if (refusal !== undefined) return refusal", ""],
    "a guess beyond the limit is looked at": [
      "failures.unlessExhausted(request, keyId, clock, keyId === undefined ? nobody : find(keyId))",
      "keyId === undefined ? nobody : find(keyId)"
    ],
    "a guess that is right after too many wrong ones under way is let in": [
      "failures.unlessExhausted(request, keyId, clock, Effect.succeed({ key: result.success, work: found }))",
      "Effect.succeed({ key: result.success, work: found })"
    ],
    "a guess is not counted when its caller leaves": ["Effect.uninterruptible(", "Effect.interruptible("]
  }),
  ...mutations("service/src/internal/input.ts", "service/test/Service.test.ts", {
    "what is no UUID is looked for": ["Schema.decodeUnknownEffect(params)", "(ids) => Effect.succeed(ids)"]
  }),
  ...mutations("service/src/internal/wellFormed.ts", "service/test/Service.test.ts", {
    "of two Authorization headers one is taken": ['headers["authorization"]?.includes(",") === true', "false"]
  }),
  ...mutations("service/src/internal/keyLimit.ts", "service/test/Service.test.ts", {
    "all keys share one rate limit": ["count(id)", 'count("")'],
    "one request more than the limit is served": ["count > limit\n", "count > limit + 1\n"]
  }),
  ...mutations("service/src/internal/failedAuthentications.ts", "service/test/Service.test.ts", {
    "all addresses share the failed authentications": ["countAddress(network)", 'countAddress("")'],
    "an address never fails too often": ["count > perAddress", "false"],
    "guesses at one key lock the other keys of the address out": ["`${network} ${keyId}`", "network"],
    "guesses at a key lock it out at every address": ["`${network} ${keyId}`", "keyId"],
    "one guess more than the limit is looked at": ["count >= perPair", "count > perPair"],
    "requests that are refused unseen are not in the record": [
      'yield* countRejection(network, "address and key")\n    return yield*',
      "return yield*"
    ],
    "requests of an address that failed too often are not in the record": [
      "if (refusal !== undefined) yield* countRejection(network, limit)",
      ""
    ]
  }),
  ...mutations("service/src/internal/rejections.ts", "service/test/Service.test.ts", {
    "rejected requests have a record each": ["if (count > 0) return Effect.succeed(false)", ""],
    "rejected requests have no record when the service ends": ["Effect.ensuring(", "Effect.andThen("],
    "rejected requests of any number of addresses are counted apart": ["|| counts.size < capacity", "|| true"]
  }),
  ...mutations("service/src/Service.ts", "service/test/Service.test.ts > the records of rejected requests", {
    "denied access has a record each": ["isFirst ? denied : Effect.void", "denied"]
  }),
  ...mutations("service/src/internal/windows.ts", "service/test/Service.test.ts", {
    "a window of the rate limit never ends": [
      "window !== undefined && window.endsAt > now ? window : undefined",
      "window"
    ]
  }),
  ...mutations("service/src/internal/windows.ts", "service/test/Windows.test.ts", {
    "windows that are over are kept": ["i < 2 &&", "i < 0 &&"],
    "a window has to forget all that are over": ["i < 2 && ", ""],
    "windows are kept without limit": ["linked >= capacity", "false"],
    "the end of an older window of a subject forgets its newer one": [
      "windows.get(oldest.subject) === oldest",
      "windows.has(oldest.subject)"
    ]
  }),
  ...mutations("service/src/internal/keyLimit.ts", "service/test/RateLimitStore.test.ts > memory", {
    "the window of a key is forgotten for those of others": [", window, Infinity)", ", window)"]
  }),
  ...mutations("service/src/node/TrustedProxies.ts", "service/test/TrustedProxies.test.ts", {
    "anyone says who the caller is": ["peer === undefined || !isTrusted(peer)", "peer === undefined"],
    "what stands before a hop that is not trusted is believed": [" && isTrusted(address); hops++", "; hops++"],
    "a header makes the service look at as many hops as it has": ["hops < maxHops && ", ""]
  }),
  ...mutations("service/src/internal/tracing.ts", "service/test/HttpHost.test.ts > the span of a request", {
    "a span shows the ids in a path": ['(route?.path ?? "/*")', 'request.url.split("?", 1)[0]'],
    "a span shows the proxy in place of the caller": [
      "Option.fromUndefinedOr(CallerAddress.of(request))",
      "Option.none()"
    ]
  }),
  ...mutations("service/src/internal/answers.ts", "service/test/Service.test.ts", {
    "a 401 has no challenge": ["status === 401 && ", "false && "]
  }),
  ...mutations("service/src/internal/authentication.ts", "service/test/Authentication.test.ts", {
    "any secret opens the service": [
      "!ApiKeySecret.verify(hash, key?.digest) || key === undefined",
      "key === undefined"
    ],
    "without the secret one learns that a key is disabled": [
      "!ApiKeySecret.verify(hash, key?.digest) || key === undefined",
      'key === undefined || (key.state === "enabled" && !ApiKeySecret.verify(hash, key.digest))'
    ],
    "an unknown key and a wrong secret can be told apart": [
      '"wrong secret", unknown)',
      '"wrong secret", key === undefined ? unknown : inactive)'
    ],
    "the owner of an inactive key is not told": ['"expired key", inactive)', '"expired key", unknown)'],
    "inactive keys open the service": ["if (isActive(key, nowMillis)) return", "return"],
    "a secret may hold no colon": ['decoded?.indexOf(":")', 'decoded?.lastIndexOf(":")'],
    "the scheme has to be Basic to the letter": ["/^basic +(\\S+) *$/i", "/^Basic +(\\S+) *$/"],
    "bytes that are not UTF-8 are hashed as text": [
      "ApiKeySecret.hash(secret)",
      "ApiKeySecret.hash(new TextEncoder().encode(new TextDecoder().decode(secret)))"
    ],
    "an ID in upper case is unknown": ["decoded.slice(0, colon).toLowerCase()", "decoded.slice(0, colon)"],
    "base64 may lack its padding": ["if (encoded.length % 4 !== 0) return undefined", ""],
    "the store is asked for what is no ID": ["isKeyId(id) ? id : undefined", "id"]
  }),
  ...mutations("service/src/internal/expiry.ts", "service/test/Authentication.test.ts", {
    "an expired key works again when the clock is set back": [
      "Math.max(latest.get(clock) ?? -Infinity, clock.currentTimeMillisUnsafe())",
      "clock.currentTimeMillisUnsafe()"
    ]
  }),
  ...mutations("service/src/Service.ts", "service/test/Service.test.ts > deleting a key ", {
    "a key is remembered": [
      "keyId === undefined ? nobody : find(keyId)",
      "keyId === undefined ? nobody : (clock[keyId] ??= Effect.runSync(Effect.cached(find(keyId))))"
    ]
  }),
  ...mutations("service/src/ApiKeySecret.ts", "service/test/ApiKeySecret.test.ts", {
    "a secret of an unknown key is right": [
      "return difference === 0 && digest !== undefined",
      "return difference === 0 || digest === undefined"
    ],
    "every secret is right": ["return difference === 0 && digest !== undefined", "return digest !== undefined"],
    "a digest may be longer than its hash": ["hash.length ^ expected.length", "0"],
    "a secret has 128 bits": ["randomBytes(32)", "randomBytes(16)"],
    "a secret cannot be recognised": ['prefix = "cmk_"', 'prefix = ""']
  })
]
