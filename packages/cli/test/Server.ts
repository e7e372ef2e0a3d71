import * as Effect from "effect/Effect"
import * as Http from "node:http"

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
