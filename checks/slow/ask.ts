import { request, type Agent, type OutgoingHttpHeaders } from "node:http"

/** How a request was answered. */
export interface Answer {
  readonly status: number | undefined
  /** In milliseconds. */
  readonly took: number
}

/**
 * Sends one request. On a connection that the server closed for being idle at that moment, sends it again, as the
 * documentation of `request.reusedSocket` in Node.js recommends.
 */
export const ask = (
  url: string,
  options: { readonly agent: Agent; readonly method?: string; readonly headers?: OutgoingHttpHeaders }
): Promise<Answer> => {
  const start = performance.now()
  return new Promise((done, fail) => {
    const send = () => {
      const sent = request(url, options, (response) => {
        response.resume()
        response.once("end", () => done({ status: response.statusCode, took: performance.now() - start }))
        response.once("error", fail)
      })
      sent.once("error", (error: NodeJS.ErrnoException) =>
        sent.reusedSocket && error.code === "ECONNRESET" ? send() : fail(error)
      )
      sent.end()
    }
    send()
  })
}

/** The same of a request that has to succeed: only how long it took. */
export const latency = async (...args: Parameters<typeof ask>): Promise<number> => {
  const { status, took } = await ask(...args)
  if (status !== 200) throw new Error(`${args[0]}: HTTP ${status}`)
  return took
}
