import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { createServer as createHttpServer } from "node:http"
import { connect, createServer, type Server } from "node:net"
import * as Balancer from "../cluster/Balancer.ts"
import * as Haproxy from "./Haproxy.ts"

const listening = (server: Server, host: string) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, host, () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" ? (address?.port ?? 0) : 0))
      })
    }),
    () => Effect.sync(() => server.close())
  )

/** A server that says its name on each connection, which it keeps, and its Patroni. */
const machine = Effect.fnUntraced(function* (host: string, name: string) {
  const state = { hasLease: false, asked: new Array<string | undefined>() }
  const rest = createHttpServer(({ url }, response) => {
    state.asked.push(url)
    response.writeHead(state.hasLease ? 200 : 503).end()
  })
  const postgres = createServer((socket) => socket.on("error", () => {}).write(name))
  return { state, host, postgres: yield* listening(postgres, host), rest: yield* listening(rest, host) }
})

/** The name of the server that a new connection reaches, and the end of that connection. */
const session = ({ host, port }: { readonly host: string; readonly port: number }) =>
  Effect.callback<{ readonly name: string; readonly end: Effect.Effect<void> }, "refused">((resume) => {
    const socket = connect({ host, port })
    const closed = new Promise<void>((done) => socket.once("close", () => done()))
    socket.on("error", () => {})
    socket.once("data", (name) => resume(Effect.succeed({ name: String(name), end: Effect.promise(() => closed) })))
    socket.once("close", () => resume(Effect.fail("refused")))
    return Effect.sync(() => socket.destroy())
  })

/** Connects until the name is that one. */
const reaching = (proxy: { readonly host: string; readonly port: number }, name: string) =>
  Effect.gen(function* () {
    for (;;) {
      const found = yield* Effect.option(session(proxy))
      if (found._tag === "Some" && found.value.name === name) return found.value
      yield* Effect.sleep("50 millis")
    }
  })

Balancer.haproxy.suite(() => {
  it.live(
    "HAProxy leads to the server with the lease, and ends connections to one that lost it",
    () =>
      Effect.gen(function* () {
        const [one, two] = [yield* machine("127.0.0.21", "one"), yield* machine("127.0.0.22", "two")]
        one.state.hasLease = true
        const proxy = yield* Haproxy.start(one, two)
        // the other one is not used any more, which HAProxy takes for healthy at its start
        while (two.state.asked.length < 3) yield* Effect.sleep("50 millis")
        const before = yield* reaching(proxy, "one")
        const ended = yield* Effect.forkChild(before.end)
        expect(ended.pollUnsafe()).toBeUndefined()

        // nobody has it for a while, as in a failover
        one.state.hasLease = false
        yield* Fiber.join(ended)
        expect(yield* Effect.flip(session(proxy))).toBe("refused")

        two.state.hasLease = true
        yield* reaching(proxy, "two")
        expect(new Set([...one.state.asked, ...two.state.asked])).toEqual(new Set(["/primary"]))
      }),
    60_000
  )
})
