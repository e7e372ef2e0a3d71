import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { Administration } from "@cloud-management/service/Administration"
import * as MemoryStore from "@cloud-management/service/MemoryStore"
import * as Seed from "@cloud-management/service/Seed"
import { Store, StoreUnavailable } from "@cloud-management/service/Store"

interface Content {
  readonly store: Store["Service"]
  readonly admin: Administration["Service"]
}

/** A store in memory with the content of a seed. */
const load = Effect.fnUntraced(function* (seed: Seed.Seed) {
  const context = yield* Layer.build(Layer.fresh(MemoryStore.layer))
  const store = Context.get(context, Store)
  yield* store.seed(seed)
  return { store, admin: Context.get(context, Administration) }
}, Effect.scoped)

const unavailable = Effect.mapError((cause: unknown) => new StoreUnavailable({ cause }))

const make = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const toJson = Schema.encodeEffect(Schema.fromJsonString(Seed.Seed))
  /** Replaces the file in one step, so that it is always whole. */
  const save = (seed: Seed.Seed) =>
    Effect.flatMap(toJson(seed), (json) =>
      Effect.andThen(files.writeFileString(`${path}.new`, json, { flag: "w" }), files.rename(`${path}.new`, path))
    ).pipe(unavailable)
  const saved = Effect.gen(function* () {
    if (!(yield* files.exists(path))) return { organizations: [] }
    return yield* Seed.parse(yield* files.readFileString(path))
  }).pipe(unavailable)

  let content: Content = yield* load(yield* saved)
  const read = <A, E>(use: (content: Content) => Effect.Effect<A, E>) => Effect.suspend(() => use(content))
  const lock = yield* Semaphore.make(1)
  /** Works on a copy, which takes the place of the content once it is in the file. */
  const change = <A, E>(use: (content: Content) => Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
    Effect.gen(function* () {
      const copy = yield* load(yield* content.admin.export)
      const result = yield* use(copy)
      yield* save(yield* copy.admin.export)
      content = copy
      return result
    }).pipe(Effect.uninterruptible, lock.withPermits(1))

  const store = Store.of({
    apiKey: (id) => read(({ store }) => store.apiKey(id)),
    organization: (caller) => read(({ store }) => store.organization(caller)),
    reversePrivateEndpoint: (...path) => read(({ store }) => store.reversePrivateEndpoint(...path)),
    deleteApiKey: (...path) => change(({ store }) => store.deleteApiKey(...path)),
    seed: (seed) => change(({ store }) => store.seed(seed)),
    ping: change(() => Effect.void)
  })
  const administration = Administration.of({
    organizations: {
      list: (owner) => read(({ admin }) => admin.organizations.list(owner)),
      create: (record) => change(({ admin }) => admin.organizations.create(record)),
      update: (path, f) => change(({ admin }) => admin.organizations.update(path, f))
    },
    services: {
      list: (owner) => read(({ admin }) => admin.services.list(owner)),
      create: (record) => change(({ admin }) => admin.services.create(record)),
      update: (path, f) => change(({ admin }) => admin.services.update(path, f))
    },
    reversePrivateEndpoints: {
      list: (owner) => read(({ admin }) => admin.reversePrivateEndpoints.list(owner)),
      create: (record) => change(({ admin }) => admin.reversePrivateEndpoints.create(record)),
      update: (path, f) => change(({ admin }) => admin.reversePrivateEndpoints.update(path, f)),
      delete: (path) => change(({ admin }) => admin.reversePrivateEndpoints.delete(path))
    },
    apiKeys: {
      list: (owner) => read(({ admin }) => admin.apiKeys.list(owner)),
      create: (record) => change(({ admin }) => admin.apiKeys.create(record)),
      update: (path, f) => change(({ admin }) => admin.apiKeys.update(path, f)),
      delete: (path) => change(({ admin }) => admin.apiKeys.delete(path))
    },
    export: read(({ admin }) => admin.export)
  })
  return Context.make(Store, store).pipe(Context.add(Administration, administration))
})

/** A store in a JSON file, of one process: the file is a seed, with digests in place of secrets. */
export const layer = (path: string): Layer.Layer<Store | Administration, StoreUnavailable> =>
  Layer.effectContext(make(path)).pipe(Layer.provide(NodeFileSystem.layer))
