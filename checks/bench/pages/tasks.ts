/** A page that uses Effect's client and schemas as their documentation shows it, for an API of its own. */
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"

const TaskId = Schema.String.pipe(Schema.brand("TaskId"))
const Task = Schema.Struct({
  id: TaskId,
  title: Schema.String,
  state: Schema.Literals(["open", "done"]),
  due: Schema.optionalKey(Schema.NullOr(Schema.DateTimeUtcFromString)),
  tags: Schema.Array(Schema.String)
})

class TasksUnavailable extends Data.TaggedError("TasksUnavailable")<{ readonly cause: unknown }> {}

const make = Effect.gen(function* () {
  const client = (yield* HttpClient.HttpClient).pipe(
    HttpClient.mapRequest(HttpClientRequest.prependUrl("https://api.example.com")),
    HttpClient.filterStatusOk
  )
  const reliably = <A, E>(call: Effect.Effect<A, E>) =>
    call.pipe(
      Effect.timeout("10 seconds"),
      Effect.retry({ times: 2, schedule: Schedule.exponential("100 millis").pipe(Schedule.jittered) }),
      Effect.mapError((cause) => new TasksUnavailable({ cause }))
    )
  return {
    list: reliably(client.get("/tasks").pipe(Effect.flatMap(HttpClientResponse.schemaBodyJson(Schema.Array(Task))))),
    get: (id: typeof TaskId.Type) =>
      reliably(client.get(`/tasks/${id}`).pipe(Effect.flatMap(HttpClientResponse.schemaBodyJson(Task)))),
    remove: (id: typeof TaskId.Type) => reliably(client.del(`/tasks/${id}`))
  }
})

class Tasks extends Context.Service<Tasks, Effect.Success<typeof make>>()("Tasks") {
  static readonly layer = Layer.effect(Tasks, make)
}

const program = Effect.gen(function* () {
  const tasks = yield* Tasks
  for (const { id, state } of yield* tasks.list) {
    if (state === "done") yield* tasks.remove(id)
    else yield* Console.log(yield* tasks.get(id))
  }
}).pipe(Effect.catchTag("TasksUnavailable", (error) => Console.error(error)))

await Effect.runPromise(program.pipe(Effect.provide(Tasks.layer.pipe(Layer.provide(FetchHttpClient.layer)))))
