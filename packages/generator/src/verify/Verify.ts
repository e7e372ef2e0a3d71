import { Client, type Operation, Retry } from "@cloud-management/client"
import { NodeTransport } from "@cloud-management/node"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { JsonObject } from "../read/Json.ts"
import * as Api from "./served/Api.ts"
import * as Judge from "./served/Judge.ts"
import { Unfollowed } from "./served/References.ts"
import * as Server from "./served/Server.ts"
import * as Values from "./served/Values.ts"
import * as Call from "./Call.ts"
import * as Cases from "./Cases.ts"
import * as Credentials from "./Credentials.ts"
import type { Folder } from "./Folder.ts"
import type * as Report from "./Report.ts"
import type { Round } from "./Round.ts"

/** Which operations are verified, and who hears of each. */
export interface Options {
  readonly isIncluded: (id: string, tags: ReadonlyArray<string>, path: string) => boolean
  readonly onOperation?: (id: string) => void
}

/** So much one operation may take. */
const most = { calls: 2_000, milliseconds: 120_000 }

const readOf = ({ read }: Api.Entry): Api.Operation | string => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unfollowed || error instanceof RangeError) return error.message
    throw error
  }
}

/** Calls all operations of a folder as a document has them, against a server made from the document. */
export const run = (root: JsonObject, { omitted, operations }: Folder, options: Options) =>
  Effect.gen(function* () {
    const api = Api.read(root)
    let respond: Server.Respond = async () => ({ status: 500, headers: {}, body: "" })
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
    const { schemas } = api
    const maker = { schemas, values: Values.make(schemas) }
    const judge = Judge.make(schemas, { side: "request" })
    const judgeTexts = Judge.make(schemas, { side: "request", areTexts: true })
    const context: Call.Context = {
      respondWith: (next) => {
        respond = next
      },
      client,
      checks: { schemas, fakes, judge, judgeTexts }
    }
    const byId = new Map<string, Operation.Any>()
    for (const group of Object.values(operations))
      for (const operation of Object.values(group)) byId.set(operation.id ?? "", operation)
    const tried: Cases.Tried = new Map()
    const outcomes: Array<Report.Outcome> = []
    const failures: Array<Report.Failure> = []
    const unjudged: Array<Report.Failure> = []
    let excluded = 0
    for (const entry of api.operations) {
      const { id, key, tags } = entry
      if (omitted.has(id)) continue
      const operation = byId.get(id)
      byId.delete(id)
      if (!options.isIncluded(id, tags, key)) {
        if (operation !== undefined) excluded++
        continue
      }
      if (operation === undefined) {
        failures.push({ id, round: "generated", note: "", reason: "it is neither generated nor refused" })
        continue
      }
      options.onOperation?.(id)
      const target = readOf(entry)
      if (typeof target === "string") {
        unjudged.push({ id, round: "generated", note: "", reason: target })
        continue
      }
      const rounds: Partial<Record<Round, { calls: number; failures: Array<Report.Failure> }>> = {}
      const start = yield* Clock.currentTimeMillis
      let calls = 0
      const dropped = new Set<string>()
      for (const one of Cases.make(maker, target, operation, tried)) {
        const { note, round } = one
        const isLate = (yield* Clock.currentTimeMillis) - start > most.milliseconds
        if (isLate || ++calls > most.calls) {
          const reason = isLate
            ? `it takes more than ${most.milliseconds / 1000} seconds`
            : `it has more than ${most.calls} calls`
          unjudged.push({ id, round, note, reason: `${reason}: this call and those after it are left out` })
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
      for (const text of dropped)
        unjudged.push({
          id,
          round: "full",
          note: "",
          reason: `a field is left out, since no value was found for it: ${text}`
        })
      for (const round of Object.values(rounds)) failures.push(...round.failures)
      outcomes.push({ id, rounds })
    }
    for (const [id, { path }] of byId) {
      // its path in the document is not known
      if (!options.isIncluded(id, [], path)) excluded++
      else failures.push({ id, round: "generated", note: "", reason: "the document has no such operation" })
    }
    return { outcomes, failures, unjudged, refused: omitted.size, excluded } satisfies Report.Report
  }).pipe(Effect.scoped, Effect.provide(NodeTransport.layer))
