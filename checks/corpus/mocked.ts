/** Calls each operation of a generated folder against `mock` of the command, and against `Mock` in memory. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { Client, Retry, type Operation } from "@cloud-management/client"
import { NodeTransport } from "@cloud-management/node"
import { Mock } from "@cloud-management/testing"
import { Cause, Effect, Exit, Result, Stream, type Layer } from "effect"
import type { HttpClient } from "effect/http"
import * as Source from "../../packages/generator/src/read/Source.ts"
import * as Cases from "../../packages/generator/src/verify/Cases.ts"
import * as Credentials from "../../packages/generator/src/verify/Credentials.ts"
import * as Folder from "../../packages/generator/src/verify/Folder.ts"
import * as Typed from "../../packages/generator/src/verify/Typed.ts"
import * as Api from "../../packages/generator/src/verify/served/Api.ts"
import * as Values from "../../packages/generator/src/verify/served/Values.ts"
import type { Document } from "./documents.ts"
import { command, measured, pathOf, type Outcome } from "./run.ts"

interface Call {
  readonly operation: Operation.Any
  readonly input: object
}

/** The calls of the rounds *full* and *minimal* of `verify`. */
const callsOf = (api: Api.Api, { omitted, operations }: Folder.Folder): ReadonlyArray<Call> => {
  const maker = { schemas: api.schemas, values: Values.make(api.schemas) }
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
const failures = (
  calls: ReadonlyArray<Call>,
  options: Client.Options,
  transport: Layer.Layer<HttpClient.HttpClient>
): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(transport))
  )

/** Serves a document with the command until `use` is done, and says how many MB that took. */
const served = async <A>(path: string, use: (baseUrl: string) => Promise<A>) => {
  const ending = `data:text/javascript,${encodeURIComponent(`process.once("SIGTERM", () => process.exit())`)}`
  const args = [measured, `--import=${ending}`, command, "mock", path]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
  let stderr = ""
  child.stderr.on("data", (chunk) => (stderr += chunk))
  const closed = once(child, "close")
  try {
    const first = once(createInterface(child.stdout), "line")
    const [baseUrl]: ReadonlyArray<unknown> = await Promise.race([first, closed.then(() => [])])
    if (typeof baseUrl !== "string") throw new Error(`mock ended: ${stderr.slice(0, 2_000)}`)
    return {
      result: await use(baseUrl),
      megabytes: async () => (await closed, Number(stderr.split("\n").at(-1)) / 1024)
    }
  } finally {
    child.kill("SIGTERM")
  }
}

/** The failures of the mocks for the operations of a folder. */
export const mocked = async ({ file, name }: Document, { folder }: Outcome): Promise<ReadonlyArray<string>> => {
  const source = { name: pathOf(file), isFetching: false, allowsPrivate: false, patches: [] }
  const api = Api.read((await Source.read(source)).root)
  const loaded = await Folder.load(folder)
  const { credentials } = Credentials.make(api)
  const calls = callsOf(api, loaded)
  const start = performance.now()
  const { megabytes, result } = await served(source.name, (baseUrl) =>
    failures(calls, { baseUrl, credentials }, NodeTransport.layer)
  )
  const between = performance.now()
  const mock = Mock.make(loaded.operations, { credentials })
  const inMemory = await failures(calls, { baseUrl: "http://mock", credentials }, mock.layer)
  const seconds = [between - start, performance.now() - between].map((one) => (one / 1000).toFixed(1))
  console.log(
    `${name}: ${calls.length} calls of mocks: ${seconds[0]} s by the command with ${(await megabytes()).toFixed(0)} MB, ${seconds[1]} s in memory`
  )
  return [
    ...result.map((problem) => `mock of the command: ${problem}`),
    ...inMemory.map((problem) => `Mock in memory: ${problem}`),
    ...mock
      .requests()
      .flatMap(({ operation, problem }) => (problem === undefined ? [] : [`Mock in memory: ${operation}: ${problem}`]))
  ]
}
