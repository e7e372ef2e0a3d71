import { Context, Effect, Layer } from "effect"
import * as Http from "node:http"
import { text } from "node:stream/consumers"
import { Fixtures } from "@cloud-management/testing"
import * as Child from "../../../checks/fixtures/Child.ts"
import * as Listener from "../../../checks/fixtures/Listener.ts"

/** A request as a server got it. */
export interface Received {
  readonly method: string
  readonly target: string
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

/** What a server replies; without one it stays silent. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A server that replies as a function of the requests so far, the present one last; it ends with the scope. */
export const replying = Effect.fnUntraced(function* (reply: (received: ReadonlyArray<Received>) => Reply | undefined) {
  const received: Array<Received> = []
  const server = Http.createServer(async (request, response) => {
    const body = await text(request)
    received.push({ method: request.method ?? "", target: request.url ?? "", headers: request.headers, body })
    const replied = reply(received)
    if (replied === undefined) return
    response.writeHead(replied.status, { "content-type": "application/json", ...replied.headers })
    response.end(replied.body)
  })
  return { url: `http://127.0.0.1:${yield* Listener.port(server)}`, received, server }
})

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
