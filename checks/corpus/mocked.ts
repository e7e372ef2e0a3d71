/** Calls each operation of a generated folder against `mock` of the command, and against `Mock` in memory. */
import { Client, Retry, type Operation } from "@cloud-management/client"
import { NodeTransport } from "@cloud-management/node"
import { Mock } from "@cloud-management/testing"
import { Cause, Duration, Effect, Exit, Result, Stream } from "effect"
import * as Child from "../fixtures/Child.ts"
import * as Source from "../../packages/generator/src/read/Source.ts"
import * as Cases from "../../packages/generator/src/verify/Cases.ts"
import * as Credentials from "../../packages/generator/src/verify/Credentials.ts"
import * as Folder from "../../packages/generator/src/verify/Folder.ts"
import * as Typed from "../../packages/generator/src/verify/Typed.ts"
import * as Values from "../../packages/generator/src/served/Values.ts"
import * as Api from "../../packages/generator/src/served/Api.ts"
import { command, measured, megabytesOf, pathOf, type Outcome } from "./run.ts"

interface Call {
  readonly operation: Operation.Any
  readonly input: object
}

/** The calls of the rounds *full* and *minimal* of `verify`. */
const callsOf = (api: Api.Api, { omitted, operations }: Folder.Folder): ReadonlyArray<Call> => {
  const maker = Values.maker(api.schemas)
  const all = Object.values(operations).flatMap((group) => Object.values(group))
  return api.operations.flatMap(({ id, read }) => {
    const operation = all.find((one) => one.id === id)
    if (omitted.has(id) || operation === undefined) return []
    const found: Array<Call> = []
    for (const one of Cases.make(maker, read(), operation, new Map())) {
      // those that follow are about responses
      if (!["full", "minimal"].includes(one.round)) break
      if (one._tag === "Unjudged") continue
      const typed = Typed.make(operation, one.input, one.choice)
      if (Result.isSuccess(typed) && one.input.misfit() === undefined) found.push({ operation, input: typed.success })
    }
    return found
  })
}

const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> => Stream.isStream(value)

/** The calls that fail, and why. */
const failures = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>, options: Client.Options) {
  const client = yield* Client.make({}, { ...options, retry: Retry.none, deadline: { attempt: "1 minute" } })
  const found: Array<string> = []
  for (const { input, operation } of calls) {
    const called = Effect.flatMap(client.execute(operation, input), (value: unknown) =>
      isStream(value) ? Stream.runDrain(Stream.take(value, 2)) : Effect.void
    )
    const exit = yield* Effect.exit(called)
    if (Exit.isFailure(exit)) found.push(`${operation.id}: ${String(Cause.squash(exit.cause)).slice(0, 300)}`)
  }
  return found
})

const seconds = (duration: Duration.Duration) => `${Duration.toSeconds(duration).toFixed(1)} s`

/** The failures of the mocks for the operations of a folder. */
export const mocked = Effect.fnUntraced(function* ({ file, folder, name }: Outcome) {
  const source = { name: pathOf(file), isFetching: false, allowsPrivate: false, patches: [] }
  const api = Api.read((yield* Effect.promise(() => Source.read(source))).root)
  const loaded = yield* Effect.promise(() => Folder.load(folder))
  const { credentials } = Credentials.make(api)
  const calls = callsOf(api, loaded)
  const ending = `data:text/javascript,${encodeURIComponent(`process.once("SIGTERM", () => process.exit())`)}`
  const { stop, until } = yield* Child.program(process.execPath, [
    measured,
    `--import=${ending}`,
    command,
    "mock",
    source.name
  ])
  const [baseUrl] = yield* until("stdout", /^http\S+/m)
  const [byCommand, result] = yield* failures(calls, { baseUrl, credentials }).pipe(
    Effect.provide(NodeTransport.layer),
    Effect.timed
  )
  const { stderr } = yield* stop
  const mock = Mock.make(loaded.operations, { credentials })
  const [byMock, inMemory] = yield* failures(calls, { baseUrl: "http://mock", credentials }).pipe(
    Effect.provide(mock.layer),
    Effect.timed
  )
  console.log(
    `${name}: ${calls.length} calls of mocks: ${seconds(byCommand)} by the command with ${megabytesOf(stderr).toFixed(0)} MB, ${seconds(byMock)} in memory`
  )
  return [
    ...result.map((problem) => `mock of the command: ${problem}`),
    ...inMemory.map((problem) => `Mock in memory: ${problem}`),
    ...mock
      .requests()
      .flatMap(({ operation, problem }) => (problem === undefined ? [] : [`Mock in memory: ${operation}: ${problem}`]))
  ]
}, Effect.scoped)
