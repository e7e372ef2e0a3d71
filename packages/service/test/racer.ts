/** A process with a store of its own over a file: runs the commands of the test that started it, one after another. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import type { OrganizationId } from "@cloud-management/core/Organization"
import * as SqliteClient from "@cloud-management/service/node/SqliteClient"
import * as Seed from "@cloud-management/service/Seed"
import * as SqlStore from "@cloud-management/service/SqlStore"
import { Store } from "@cloud-management/service/Store"

export type Command =
  | { readonly open: string }
  | { readonly seed: Seed.Document }
  | { readonly delete: readonly [OrganizationId, ApiKeyId, caller: ApiKeyId] }

const open = (filename: string) =>
  ManagedRuntime.make(SqlStore.layer.pipe(Layer.provide(SqliteClient.layer({ filename }))))

let runtime: ReturnType<typeof open> | undefined

const run = async (command: Command): Promise<unknown> => {
  if ("open" in command) {
    await runtime?.dispose()
    runtime = open(command.open)
    await runtime.context()
    return "open"
  }
  return runtime?.runPromise(
    Effect.gen(function* () {
      const store = yield* Store
      if ("seed" in command) return yield* store.seed(yield* Seed.fromDocument(command.seed))
      return yield* store.deleteApiKey(...command.delete, { event: "key.deleted" })
    })
  )
}

process.on("message", (command: Command) => {
  run(command).then(
    (answer) => process.send?.(String(answer)),
    (error) => process.send?.(String(error))
  )
})
