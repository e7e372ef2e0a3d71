import { Client, type Operation, Retry } from "@cloud-management/client"
import { NodeTransport } from "@cloud-management/node"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { JsonObject } from "../read/Json.ts"
import * as Api from "../served/Api.ts"
import { attempt } from "../served/References.ts"
import * as Server from "../served/Server.ts"
import * as Values from "../served/Values.ts"
import * as Call from "./Call.ts"
import type { Case, Unjudged } from "./Case.ts"
import * as Cases from "./Cases.ts"
import * as Credentials from "./Credentials.ts"
import type { Folder } from "./Folder.ts"
import type * as Report from "./Report.ts"
import type { Round } from "./Round.ts"
import type * as Tried from "./Tried.ts"

/** Which operations are verified, and who hears of each. */
export interface Options {
  readonly isIncluded: (id: string, tags: ReadonlyArray<string>, path: string) => boolean
  readonly onOperation?: (id: string, total: number) => void
}

/** So much one operation may take, and all together. */
const most = { calls: 2_000, values: 500_000, seconds: 60, minutes: 30 }

/** Counts what the calls of an operation take, and says what is too much. */
const budget = Effect.gen(function* () {
  const start = yield* Clock.currentTimeMillis
  let calls = 0
  let values = 0
  return (size: number) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      calls++
      values += size
      if (now - start > most.seconds * 1000) return `it takes more than ${most.seconds} seconds`
      if (calls > most.calls) return `it has more than ${most.calls} calls`
      return values > most.values ? `its calls have more than ${most.values} values` : undefined
    })
})

/** Calls an operation in all rounds. */
const called = Effect.fnUntraced(function* (
  id: string,
  target: Api.Operation,
  operation: Operation.Any,
  cases: Iterable<Case | Unjudged>,
  context: Call.Context
) {
  const rounds: Partial<Record<Round, { calls: number; failures: Array<Report.Failure> }>> = {}
  const unjudged: Array<Report.Failure> = []
  const dropped = new Set<string>()
  const spend = yield* budget
  for (const one of cases) {
    const { note, round } = one
    const excess = yield* spend(one._tag === "Case" ? one.input.size + (one.reply?.made?.size ?? 0) : 0)
    if (excess !== undefined) {
      unjudged.push({ id, round, note, reason: `${excess}: this call and those after it are left out` })
      break
    }
    if (one._tag === "Unjudged") {
      unjudged.push({ id, round, note, reason: one.reason })
      continue
    }
    for (const text of [...one.input.dropped, ...(one.reply?.made?.dropped ?? [])]) dropped.add(text)
    const problem = yield* Call.run(target, operation, one, context)
    const misfit = problem === undefined ? undefined : (one.reply?.made?.misfit() ?? one.input.misfit())
    if (misfit !== undefined) {
      const subject = round === "examples" ? "the document's example does not fit" : "no value was found that fits"
      unjudged.push({ id, round, note, reason: `${subject} the schema: ${misfit}` })
      continue
    }
    const found = (rounds[round] ??= { calls: 0, failures: [] })
    found.calls++
    if (problem !== undefined) found.failures.push({ id, round, note, ...problem })
  }
  for (const text of dropped) {
    const reason = `a field is left out, since no value was found for it: ${text}`
    unjudged.push({ id, round: "full", note: "", reason })
  }
  return { rounds, unjudged }
})

/** Calls all operations of a folder as a document has them, against a server made from the document. */
export const run = (root: JsonObject, { omitted, operations }: Folder, options: Options) =>
  Effect.gen(function* () {
    const api = Api.read(root)
    let respond: Server.Respond = () => ({ status: 500, headers: {}, body: "" })
    const server = yield* Server.scoped((received) => respond(received))
    const fakes = Credentials.make(api)
    const client = yield* Client.make(operations, {
      baseUrl: server.baseUrl,
      credentials: fakes.credentials,
      retry: Retry.none,
      // the server is in the same process, and compiles large schemas meanwhile
      deadline: { attempt: "5 minutes", total: "5 minutes" },
      maxResponseBytes: 100 * 1024 * 1024
    })
    const maker = Values.maker(api.schemas)
    const context: Call.Context = {
      respondWith: (next) => {
        respond = next
      },
      client,
      checks: { ...maker, fakes }
    }
    const byId = new Map<string, Operation.Any>()
    for (const group of Object.values(operations))
      for (const operation of Object.values(group)) byId.set(operation.id ?? "", operation)
    const tried: Tried.Tried = new Map()
    const outcomes: Array<Report.Outcome> = []
    const failures: Array<Report.Failure> = []
    const unjudged: Array<Report.Failure> = []
    let excluded = 0
    const start = yield* Clock.currentTimeMillis
    const generated = api.operations.filter(({ id }) => !omitted.has(id))
    const total = generated.filter(({ id, key, tags }) => options.isIncluded(id, tags, key)).length
    for (const entry of generated) {
      const { id, key, tags } = entry
      const operation = byId.get(id)
      byId.delete(id)
      if (!options.isIncluded(id, tags, key)) {
        if (operation !== undefined) excluded++
        continue
      }
      if (operation === undefined) {
        failures.push({ id, round: "generated", note: "", reason: "it is neither generated nor omitted" })
        continue
      }
      const isLate = (yield* Clock.currentTimeMillis) - start > most.minutes * 60_000
      if (!isLate) options.onOperation?.(id, total)
      const late = `all together take more than ${most.minutes} minutes: choose it with --include`
      const target = isLate ? late : attempt(entry.read, String)
      if (typeof target === "string") {
        unjudged.push({ id, round: "generated", note: "", reason: target })
        continue
      }
      const found = yield* called(id, target, operation, Cases.make(maker, target, operation, tried), context)
      for (const round of Object.values(found.rounds)) failures.push(...round.failures)
      unjudged.push(...found.unjudged)
      outcomes.push({ id, rounds: found.rounds })
    }
    for (const [id, { path }] of byId) {
      // its path in the document is not known
      if (!options.isIncluded(id, [], path)) excluded++
      else failures.push({ id, round: "generated", note: "", reason: "the document has no such operation" })
    }
    return { outcomes, failures, unjudged, omitted: omitted.size, excluded } satisfies Report.Report
  }).pipe(Effect.scoped, Effect.provide(NodeTransport.layer))
