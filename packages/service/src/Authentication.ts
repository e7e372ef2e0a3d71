import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Base64 from "effect/encoding/Base64"
import { ApiKeyId } from "@cloud-management/core/ApiKey"
import { Unauthorized } from "@cloud-management/core/CloudError"
import * as ApiKeySecret from "./ApiKeySecret.ts"
import { lowerCase } from "./internal/lowerCase.ts"
import { isActive, type ApiKey, type Store, type StoreUnavailable } from "./Store.ts"

/** One answer for an absent, malformed or foreign scheme, an unknown key and a wrong secret: none can be told apart. */
export const unknown = new Unauthorized({ message: "UNAUTHORIZED: Key is not found" })
/** Told only to a caller that knows the secret. */
export const inactive = new Unauthorized({ message: "UNAUTHORIZED: Key is not active" })

/** The challenge that goes with a 401 (RFC 7617 §2.1). */
export const challenge = 'Basic realm="Cloud Management", charset="UTF-8"'

const keyId = Schema.decodeUnknownOption(lowerCase(ApiKeyId))
const utf8 = new TextDecoder("utf-8", { fatal: true })

/** RFC 7617 §2: the scheme in any case, base64 of UTF-8, split at the first colon. */
const parse = (header: string): Option.Option<{ readonly user: string; readonly secret: Redacted.Redacted }> =>
  Option.gen(function* () {
    const encoded = yield* Option.fromNullishOr(/^basic +(\S+) *$/i.exec(header)?.[1])
    const bytes = yield* Result.getSuccess(Base64.decode(encoded))
    const text = yield* Result.getSuccess(Result.try(() => utf8.decode(bytes)))
    const colon = text.indexOf(":")
    if (colon === -1) return yield* Option.none()
    return { user: text.slice(0, colon), secret: Redacted.make(text.slice(colon + 1)) }
  })

/**
 * The key behind an `Authorization` header. An unknown key costs the same hash and comparison as a wrong secret, and
 * nothing is remembered between requests: a deleted key is refused at once.
 */
export const authenticate = Effect.fnUntraced(function* (
  store: Store["Service"],
  header: string | undefined
): Effect.fn.Return<ApiKey, Unauthorized | StoreUnavailable> {
  const credentials = parse(header ?? "")
  const id = Option.flatMap(credentials, ({ user }) => keyId(user))
  const key = Option.getOrUndefined(Option.isSome(id) ? yield* store.apiKey(id.value) : Option.none())
  const secret = Option.match(credentials, { onNone: () => Redacted.make(""), onSome: ({ secret }) => secret })
  if (!ApiKeySecret.verify(secret, key?.digest) || key === undefined) return yield* unknown
  if (!isActive(key, yield* Effect.clockWith((clock) => clock.currentTimeMillis))) return yield* inactive
  return key
})
