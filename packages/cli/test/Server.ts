import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Http from "node:http"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Child from "../../../checks/fixtures/Child.ts"

/** A request as a server got it. */
export interface Received {
  readonly method: string
  readonly target: string
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

/** What a server answers; without one it stays silent. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A server that answers as a function of the requests so far, the present one last; it ends with the scope. */
export const answering = (answer: (received: ReadonlyArray<Received>) => Answer | undefined) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly url: string
      readonly received: ReadonlyArray<Received>
      readonly server: Http.Server
    }>((resume) => {
      const received: Array<Received> = []
      const server = Http.createServer((request, response) => {
        let body = ""
        request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
        request.on("end", () => {
          received.push({ method: request.method ?? "", target: request.url ?? "", headers: request.headers, body })
          const answered = answer(received)
          if (answered === undefined) return
          response.writeHead(answered.status, { "content-type": "application/json", ...answered.headers })
          response.end(answered.body)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, received, server }))
      })
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

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

/** The variables of a command that calls a service with a key of the fixtures. */
export const client = (url: string) => ({
  CLOUD_MANAGEMENT_BASE_URL: url,
  CLOUD_MANAGEMENT_KEY_ID: Fixtures.deployKey.id,
  CLOUD_MANAGEMENT_KEY_SECRET: Fixtures.deployKey.secret
})
