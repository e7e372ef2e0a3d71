import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { Administration } from "@cloud-management/service/Administration"
import * as Audit from "@cloud-management/service/Audit"
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

/** The whole file. */
const File = Schema.fromJsonString(Schema.Struct({ content: Seed.Seed, audit: Schema.Array(Audit.Record) }))

const make = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  /** Replaces the file in one step, so that it is always whole. */
  const save = (file: typeof File.Type) =>
    Effect.flatMap(Schema.encodeEffect(File)(file), (json) =>
      Effect.andThen(files.writeFileString(`${path}.new`, json, { flag: "w" }), files.rename(`${path}.new`, path))
    ).pipe(unavailable)
  const saved = Effect.gen(function* () {
    if (!(yield* files.exists(path))) return { content: { organizations: [] }, audit: [] }
    return yield* Schema.decodeEffect(File)(yield* files.readFileString(path))
  }).pipe(unavailable)

  const file = yield* saved
  let content: Content = yield* load(file.content)
  let records = file.audit
  const read = <A, E>(use: (content: Content) => Effect.Effect<A, E>) => Effect.suspend(() => use(content))
  const lock = yield* Semaphore.make(1)
  /** Works on a copy, which takes the place of the content once it is in the file; so do the records that are kept. */
  const change = <A, E>(
    use: (content: Content) => Effect.Effect<A, E>,
    keep: (record: Audit.Record) => boolean = () => true
  ): Effect.Effect<A, E | StoreUnavailable> =>
    Effect.gen(function* () {
      const copy = yield* load(yield* content.admin.export)
      const result = yield* use(copy)
      const audit = [...records.filter(keep), ...(yield* Stream.runCollect(copy.admin.audit.all))]
      yield* save({ content: yield* copy.admin.export, audit })
      content = copy
      records = audit
      return result
    }).pipe(Effect.uninterruptible, lock.withPermits(1))

  const store = Store.of({
    apiKey: (id) => read(({ store }) => store.apiKey(id)),
    organization: (caller) => read(({ store }) => store.organization(caller)),
    reversePrivateEndpoint: (...path) => read(({ store }) => store.reversePrivateEndpoint(...path)),
    deleteApiKey: (...args) => change(({ store }) => store.deleteApiKey(...args)),
    recordUse: (...args) => change(({ store }) => store.recordUse(...args)),
    seed: (...args) => change(({ store }) => (records.length > 0 ? Effect.succeed(false) : store.seed(...args))),
    ping: change(() => Effect.void)
  })
  const administration = Administration.of({
    organizations: {
      list: (owner) => read(({ admin }) => admin.organizations.list(owner)),
      create: (...args) => change(({ admin }) => admin.organizations.create(...args)),
      update: (...args) => change(({ admin }) => admin.organizations.update(...args)),
      delete: (...args) => change(({ admin }) => admin.organizations.delete(...args))
    },
    services: {
      list: (owner) => read(({ admin }) => admin.services.list(owner)),
      create: (...args) => change(({ admin }) => admin.services.create(...args)),
      update: (...args) => change(({ admin }) => admin.services.update(...args)),
      delete: (...args) => change(({ admin }) => admin.services.delete(...args))
    },
    reversePrivateEndpoints: {
      list: (owner) => read(({ admin }) => admin.reversePrivateEndpoints.list(owner)),
      create: (...args) => change(({ admin }) => admin.reversePrivateEndpoints.create(...args)),
      update: (...args) => change(({ admin }) => admin.reversePrivateEndpoints.update(...args)),
      delete: (...args) => change(({ admin }) => admin.reversePrivateEndpoints.delete(...args))
    },
    apiKeys: {
      list: (owner) => read(({ admin }) => admin.apiKeys.list(owner)),
      create: (...args) => change(({ admin }) => admin.apiKeys.create(...args)),
      update: (...args) => change(({ admin }) => admin.apiKeys.update(...args)),
      delete: (...args) => change(({ admin }) => admin.apiKeys.delete(...args))
    },
    rotateApiKey: (...args) => change(({ admin }) => admin.rotateApiKey(...args)),
    audit: {
      all: Stream.suspend(() => Stream.fromArray(records)),
      list: ({ keyId, since }, most) =>
        Effect.sync(() =>
          records
            .filter(
              (record) =>
                (keyId === undefined || record.keyId === keyId) &&
                (since === undefined || !DateTime.isLessThan(record.time, since))
            )
            .slice(-most)
            .toReversed()
        ),
      append: (entry) => change(({ admin }) => admin.audit.append(entry)),
      prune: (before, entry) =>
        Effect.suspend(() => {
          const isOld = ({ time }: Audit.Record) => DateTime.isLessThan(time, before)
          const count = records.filter(isOld).length
          return Effect.as(
            change(
              ({ admin }) => admin.audit.append(entry),
              (record) => !isOld(record)
            ),
            count
          )
        })
    },
    export: read(({ admin }) => admin.export)
  })
  return Context.make(Store, store).pipe(Context.add(Administration, administration))
})

/** A store in a JSON file, of one process: a seed, with digests in place of secrets, and the audit records. */
export const layer = (path: string): Layer.Layer<Store | Administration, StoreUnavailable> =>
  Layer.effectContext(make(path)).pipe(Layer.provide(NodeFileSystem.layer))
