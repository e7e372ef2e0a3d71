import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Fixtures } from "@cloud-management/testing"
import * as Child from "../../../checks/fixtures/Child.ts"
import * as Invocation from "./Invocation.ts"

/** Commands of `admin` on a database of their own that is to be made, beside the file of a seed. */
export const make = Effect.fnUntraced(function* (seed: object = Fixtures.seed) {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(seed) })
  const file = `${folder}/cloud.db`
  const admin = (...args: ReadonlyArray<string>) =>
    Invocation.run(["admin", ...args], { CLOUD_MANAGEMENT_DATABASE: file, CLOUD_MANAGEMENT_LOG_FORMAT: "json" })
  const done = (...args: ReadonlyArray<string>) =>
    Effect.tap(admin(...args, "--format", "json"), ({ code, stderr }) =>
      Effect.sync(() => expect({ code, stderr }).toMatchObject({ code: 0 }))
    )
  return {
    folder,
    file,
    admin,
    done,
    result: (...args: ReadonlyArray<string>) => Effect.map(done(...args), ({ stdout }) => JSON.parse(stdout))
  }
})

/** The same on a database that has the content of a seed, by default that of the fixtures. */
export const seeded = (seed?: object) =>
  Effect.tap(make(seed), ({ done, folder }) => done("seed", `${folder}/seed.json`))
