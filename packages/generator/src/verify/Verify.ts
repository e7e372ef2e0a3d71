import * as Client from "@cloud-management/client/Client"
import type * as Operation from "@cloud-management/client/Operation"
import * as Retry from "@cloud-management/client/Retry"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import * as Effect from "effect/Effect"
import type { Document } from "../Document.ts"
import * as Call from "./Call.ts"
import * as Cases from "./Cases.ts"
import type { Folder } from "./Folder.ts"
import * as JsonSchema from "./JsonSchema.ts"
import type * as Report from "./Report.ts"
import type { Round } from "./Round.ts"
import * as Schemes from "./Schemes.ts"
import * as Server from "./Server.ts"
import * as Target from "./Target.ts"

/** Which operations are verified, and who hears of each. */
export interface Options {
  readonly isIncluded: (id: string, tags: ReadonlyArray<string>, path: string) => boolean
  readonly onOperation?: (id: string) => void
}

/** Calls all operations of a folder as a document has them, against a server made from the document. */
export const run = (document: Document, { operations, refused }: Folder, options: Options) =>
  Effect.gen(function* () {
    const targets = Target.all(document, refused, options.isIncluded)
    const server = yield* Server.scoped
    const schemes = Schemes.make(document)
    const client = yield* Client.make(operations, {
      baseUrl: server.baseUrl,
      credentials: schemes.credentials,
      retry: Retry.none,
      // the server is in the same process, and compiles large schemas meanwhile
      deadline: { attempt: "5 minutes", total: "5 minutes" },
      maxResponseBytes: 100 * 1024 * 1024
    })
    const context = { document, server, client, checks: { schemes, validate: JsonSchema.make(document) } }
    const byId = new Map<string, Operation.Any>()
    for (const group of Object.values(operations))
      for (const operation of Object.values(group)) byId.set(operation.id ?? "", operation)
    const tried: Cases.Tried = new Map()
    const outcomes: Array<Report.Outcome> = []
    const failures: Array<Report.Failure> = []
    for (const target of targets) {
      const { id } = target
      const operation = byId.get(id)
      byId.delete(id)
      if (operation === undefined) {
        const reason = "it is neither generated nor refused"
        failures.push({ id, round: "generated", note: "", reason })
        continue
      }
      options.onOperation?.(id)
      const rounds: Partial<Record<Round, { calls: number; failures: Array<Report.Failure> }>> = {}
      for (const one of Cases.make(document, target, operation, tried)) {
        const round = (rounds[one.round] ??= { calls: 0, failures: [] })
        round.calls++
        const reason = yield* Call.run(target, operation, one, context)
        if (reason !== undefined) round.failures.push({ id, round: one.round, note: one.note, reason })
      }
      for (const round of Object.values(rounds)) failures.push(...round.failures)
      outcomes.push({ id, rounds })
    }
    for (const id of byId.keys())
      failures.push({ id, round: "generated", note: "", reason: "the document has no such operation" })
    return { outcomes, failures, refused: refused.size } satisfies Report.Report
  }).pipe(Effect.scoped, Effect.provide(NodeTransport.layer))
