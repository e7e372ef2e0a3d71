/** The service of that registry: a handler for each operation, over keys in memory. */
import { ApiKey } from "@cloud-management/core"
import { Handlers, Service } from "@cloud-management/service"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { NameTaken, operations } from "./Keys.ts"

interface Key {
  readonly id: ApiKey.ApiKeyId
  readonly name: string
}

const notFound = new ApiKey.ApiKeyNotFound({ message: "NOT_FOUND: Key is not found" })

const make: Effect.Effect<Handlers.Handlers<typeof operations>, never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom,
  (random) => {
    const keys = new Map<string, Key>()
    /** Created keys, by idempotency key: the second request of a call gets the response of the first. */
    const created = new Map<string, Key>()
    const save = (key: Key) => {
      if ([...keys.values()].some(({ id, name }) => name === key.name && id !== key.id)) {
        return Effect.fail(new NameTaken({ message: `NAME_TAKEN: There is a key named ${key.name}` }))
      }
      keys.set(key.id, key)
      return Effect.succeed(key)
    }
    return {
      apiKeys: {
        create: Effect.fnUntraced(function* ({ payload: { name } }, { idempotencyKey = "" }) {
          const before = created.get(idempotencyKey)
          if (before !== undefined) return before
          const key = yield* save({ id: ApiKey.ApiKeyId.make(yield* random.uuidV4()), name })
          created.set(idempotencyKey, key)
          return key
        }),
        list: ({ query: { after = "", limit = 10 } = {} }) => {
          const names = [...keys.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
          const rest = names.filter(({ name }) => name > after)
          const page = rest.slice(0, limit)
          const last = page.at(-1)
          return Effect.succeed({ keys: page, ...(rest.length > limit && last && { next: last.name }) })
        },
        rename: ({ keyId, payload: { name } }) => (keys.has(keyId) ? save({ id: keyId, name }) : Effect.fail(notFound)),
        delete: ({ keyId }) => (keys.delete(keyId) ? Effect.void : Effect.fail(notFound))
      }
    }
  }
)

/** The keys that sign requests are those of the fixtures; what the operations create is kept beside them. */
export const layer = Layer.unwrap(Effect.map(make, (handlers) => Service.layerOf(operations, handlers))).pipe(
  Layer.provide(InMemoryTransport.layerStore(Fixtures.seed)),
  Layer.provide(SecureRandom.layerWebCrypto)
)
