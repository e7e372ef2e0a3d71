import { Context, Effect, Layer } from "effect"
import { Fixtures } from "@cloud-management/testing"
import { Child, type Listener } from "../../../checks/fixtures/index.ts"

export const seeded = Effect.fnUntraced(function* (env: Record<string, string>, ...args: ReadonlyArray<string>) {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(Fixtures.seed) })
  return { ...(yield* Child.serveWith(env, "--seed", `${folder}/seed.json`, ...args)), folder }
})

export class Served extends Context.Service<Served, { readonly url: string }>()("Served") {
  static readonly layer = Layer.effect(Served, seeded({}))
}

/** A response with an envelope. */
export const reply = (envelope: object, status = 200): Listener.Reply => ({
  status,
  body: JSON.stringify({ status, ...envelope })
})

export const client = (
  url: string,
  { id, secret }: { readonly id: string; readonly secret: string } = Fixtures.deployKey
) => ({ CLOUD_MANAGEMENT_BASE_URL: url, CLOUD_MANAGEMENT_KEY_ID: id, CLOUD_MANAGEMENT_KEY_SECRET: secret })
