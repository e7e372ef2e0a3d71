/**
 * Files and streams, up and down: a file on disk in a form, a stream that is sent while it is made, bytes that are read
 * as they arrive, lines of JSON, and events.
 */
import { Body, Client, Credentials, Deadline, Operation, Refusals } from "@cloud-management/core"
import { NodeFile, NodeTransport } from "@cloud-management/node"
import { Service, type Handlers } from "@cloud-management/service"
import * as HttpHost from "@cloud-management/service/node/HttpHost"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { Console, Effect, Layer, Schema, Stream } from "effect"
import { SecureRandom } from "effect/crypto"

const shared = { group: "files", errors: Refusals.commonRefusals } as const
const Stored = Schema.Struct({ name: Schema.String, type: Schema.String, bytes: Schema.Finite })
const Row = Schema.Struct({ row: Schema.Finite })

const operations = {
  files: {
    add: Operation.make({
      ...shared,
      name: "add",
      method: "POST",
      path: "/v1/files",
      payload: Body.multipart(Schema.Struct({ title: Schema.String, file: Body.File })),
      success: Body.status(201, Body.json(Stored))
    }),
    put: Operation.make({
      ...shared,
      name: "put",
      method: "PUT",
      path: "/v1/files/:name.:ext",
      params: Schema.Struct({ name: Schema.String, ext: Schema.String }),
      payload: Body.upload("text/plain"),
      success: Body.empty
    }),
    read: Operation.make({
      ...shared,
      name: "read",
      method: "GET",
      path: "/v1/files/:name.:ext",
      params: Schema.Struct({ name: Schema.String, ext: Schema.String }),
      success: Body.stream("text/plain")
    }),
    rows: Operation.make({
      ...shared,
      name: "rows",
      method: "GET",
      path: "/v1/files/rows",
      success: Body.jsonLines(Row)
    }),
    changes: Operation.make({
      ...shared,
      name: "changes",
      method: "GET",
      path: "/v1/files/changes",
      success: Body.events(Schema.Struct({ name: Schema.String }))
    })
  }
}

const program = Effect.fnUntraced(function* (cloud: Client.Client<typeof operations>) {
  // read from the disk while it is sent
  const file = yield* NodeFile.open(`${import.meta.dirname}/first-program.env`, { type: "text/plain" })
  const stored = yield* cloud.files.add({ payload: { title: "The first program's settings", file } })
  yield* Console.log(`stored ${stored.name}, ${stored.bytes === file.size ? "whole" : "cut"}`)

  // made while it is sent
  const lines = Stream.range(1, 4000).pipe(
    Stream.map((row) => `${JSON.stringify({ row })}\n`),
    Stream.encodeText
  )
  yield* cloud.files.put({ name: "rows", ext: "txt", payload: { stream: lines } })

  // the call ends with the head of the response; the stream has the rest
  const content = yield* cloud.files
    .read({ name: "rows", ext: "txt" })
    .pipe(Deadline.within({ attempt: "5 seconds", stall: "20 seconds" }))
  const size = yield* Stream.runFold(
    content,
    () => 0,
    (bytes, part) => bytes + part.length
  )
  yield* Console.log(`received ${size} bytes`)

  const rows = yield* cloud.files.rows()
  const [first] = yield* Stream.runCollect(Stream.take(rows, 1))
  yield* Console.log(`the first of the rows is ${first?.row}`)

  const changes = yield* cloud.files.changes()
  yield* Stream.runForEach(changes, ({ data, event, problem }) =>
    // data that does not match the schema is text
    Console.log(problem === undefined ? `${event}: ${data.name}` : `${event}: ${data}, ${problem}`)
  )
})

/** Stands for your service. */
const handlers = Effect.sync((): Handlers.Handlers<typeof operations> => {
  const files = new Map<string, ReadonlyArray<Uint8Array>>()
  return {
    files: {
      add: ({ payload: { file } }) =>
        Effect.succeed({ name: file instanceof File ? file.name : "unnamed", type: file.type, bytes: file.size }),
      put: ({ ext, name, payload }) =>
        Effect.map(Effect.orDie(Stream.runCollect(payload.stream)), (parts) => {
          files.set(`${name}.${ext}`, parts)
        }),
      read: ({ ext, name }) => Effect.succeed(Stream.fromIterable(files.get(`${name}.${ext}`) ?? [])),
      rows: () => Effect.succeed(Stream.map(Stream.range(1, 1000), (row) => ({ row }))),
      changes: () =>
        Effect.succeed(
          Stream.make(
            { event: "added", id: "1", data: { name: "first-program.env" } },
            { event: "replaced", id: "2", data: { name: "rows.txt" } }
          )
        )
    }
  }
})
const service = HttpHost.layer().pipe(
  Layer.provide(Layer.unwrap(Effect.map(handlers, (handlers) => Service.layerOf(operations, handlers)))),
  Layer.provide(InMemoryTransport.layerStore(Fixtures.seed)),
  Layer.provide(SecureRandom.layerWebCrypto)
)

const main = Effect.gen(function* () {
  const { url } = yield* HttpHost.HttpHost
  const credentials = Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
  yield* program(yield* Client.make(operations, { baseUrl: url, credentials }))
})

await Effect.runPromise(main.pipe(Effect.scoped, Effect.provide(Layer.merge(service, NodeTransport.layer))))
