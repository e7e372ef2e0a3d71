import { Effect } from "effect"
import * as Listener from "../fixtures/Listener.ts"

/** Responds with the size of a body. `/arrived` responds when one has begun, `/ends` says how the last one ended. */
export const make = Effect.suspend(() => {
  const arrived = Promise.withResolvers<void>()
  const ends: Array<Promise<string>> = []
  return Listener.serve((request, response) => {
    const { method, url } = request
    if (url === "/arrived") return void arrived.promise.then(() => response.end())
    if (method === "GET") return void ends.at(-1)?.then((end) => response.end(end))
    if (url === "/early") return response.end("early")
    let size = 0
    const ended = new Promise<string>((resolve) => {
      request.on("error", () => resolve(`${url} breaks off`))
      request.on("end", () => resolve(`${url} is complete`))
    })
    ends.push(ended)
    request.on("data", (chunk: Uint8Array) => {
      size += chunk.length
      if (url === "/interrupted") arrived.resolve()
    })
    request.on("end", () => response.end(String(size)))
  })
})
