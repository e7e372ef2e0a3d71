import { Effect, Stream } from "effect"
import { identity } from "effect/Function"
import { Seed } from "@cloud-management/service"
import type { Store } from "@cloud-management/service/Store"
import * as Failure from "../output/Failure.ts"
import { logged } from "./database.ts"
import * as Input from "../input/input.ts"

export const readSeed = Effect.fnUntraced(function* (name: string, path: string) {
  const refusal = (problem: string) => Failure.usage(`${name}: ${path} ${problem}`, "Pass the path of a JSON file.")
  // no string of Node.js has room for much more
  const text = yield* Stream.mkString(Input.text(path, refusal, 2 ** 28))
  return yield* Effect.mapError(Seed.parse(text), ({ message }) =>
    Failure.usage(
      `${name}: ${path}: ${message}`,
      "Pass JSON in the format that `cloud-management admin export` prints."
    )
  )
})

/** Returns `false` if the store is not empty, and changes nothing. */
export const fill = (store: Store["Service"], seed: Seed.Seed) =>
  logged("database.seeded", { organizations: seed.organizations.length }, (entry) => store.seed(seed, entry), identity)
