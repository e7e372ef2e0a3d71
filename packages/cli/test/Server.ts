import { Context, Effect, Layer } from "effect"
import { Fixtures } from "@cloud-management/testing"
import * as Child from "../../../checks/fixtures/Child.ts"

/** Starts `serve` with the fixtures, and waits until it listens. */
export const seeded = Effect.fnUntraced(function* (
  env: Readonly<Record<string, string>>,
  ...args: ReadonlyArray<string>
) {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(Fixtures.seed) })
  return { ...(yield* Child.serveWith(env, "--seed", `${folder}/seed.json`, ...args)), folder }
})

/** The service with the fixtures, in a process of its own. */
export class Served extends Context.Service<Served, { readonly url: string }>()("Served") {
  static readonly layer = Layer.effect(Served, seeded({}))
}

/** The variables of a command that calls a service with a key, by default one of the fixtures. */
export const client = (
  url: string,
  { id, secret }: { readonly id: string; readonly secret: string } = Fixtures.deployKey
) => ({ CLOUD_MANAGEMENT_BASE_URL: url, CLOUD_MANAGEMENT_KEY_ID: id, CLOUD_MANAGEMENT_KEY_SECRET: secret })
