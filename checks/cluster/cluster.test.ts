import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http"
import { request } from "node:https"
import * as Host from "../fixtures/Host.ts"
import * as ServerProcess from "../fixtures/ServerProcess.ts"
import { keyId } from "../fixtures/Tenants.ts"
import * as Child from "../fixtures/Child.ts"
import * as Balancer from "./Balancer.ts"
import * as History from "./History.ts"

const listen = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ address: string; close: () => void }>((resume) => {
      const server = createServer(listener).listen(0, "127.0.0.1", () => {
        const bound = server.address()
        const address = `127.0.0.1:${typeof bound === "object" ? bound?.port : ""}`
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ address, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** A node that ends, and starts again at its port, so many times: each time after it has served some requests. */
const restarting = Effect.fnUntraced(function* (port: number, times: number) {
  const life = Effect.gen(function* () {
    const busy = yield* Deferred.make<void>()
    let served = 0
    const accessLog = () => (++served === 50 ? Deferred.succeed(busy, undefined) : Effect.void)
    yield* Layer.build(Host.host(undefined, undefined, { port }, { accessLog }))
    yield* Deferred.await(busy)
  })
  yield* Effect.repeat(Effect.scoped(life), { times })
})

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
}

interface Options {
  readonly headers?: Readonly<Record<string, string>>
  readonly localAddress?: string
}

const send = ({ certificate, url }: Balancer.Balancer, method: string, path: string, options: Options = {}) =>
  Effect.callback<Answer>((resume) => {
    const sent = request(url, { method, path, ca: certificate, agent: false, ...options }, (response) => {
      response.resume()
      response.once("end", () => resume(Effect.succeed({ status: response.statusCode, headers: response.headers })))
    })
    sent.once("error", (error) => resume(Effect.die(error)))
    sent.end()
  })

/** A balancer before three nodes that note what reaches them; the first so many requests end without an answer. */
const listening = Effect.fnUntraced(function* (program: Balancer.Balanced, lost: number) {
  const reached: Array<{ readonly request: string; readonly headers: IncomingHttpHeaders }> = []
  const node = listen(({ headers, method, socket, url }, response) => {
    if (url === "/ready") response.end()
    else if (reached.push({ request: `${method} ${url}`, headers }) <= lost) socket.destroy()
    else response.end()
  })
  const nodes = yield* Effect.replicateEffect(node, 3)
  return { ...(yield* program.start(nodes.map(({ address }) => address))), reached }
})

describe.concurrent.each([Balancer.nginx, Balancer.haproxy])("$name with the documented configuration", (program) => {
  program.suite(() => {
    it.live.each(["DELETE", "POST", "PUT", "PATCH"])("sends a %s once, and never to another node", (method) =>
      Effect.gen(function* () {
        const { reached, ...balancer } = yield* listening(program, 1)
        const { headers, status } = yield* send(balancer, method, "/v1")
        expect([status, headers["retry-after"]]).toEqual([502, "1"])
        expect(reached).toMatchObject([{ request: `${method} /v1` }])
      })
    )

    it.live.each(["GET", "HEAD", "OPTIONS"])("asks another node when one does not answer a %s", (method) =>
      Effect.gen(function* () {
        const { reached, ...balancer } = yield* listening(program, 2)
        expect((yield* send(balancer, method, "/v1")).status).toBe(200)
        expect(reached).toHaveLength(3)
      })
    )

    it.live.each(["GET", "DELETE"])("passes a %s on as it came, and says where from", (method) =>
      Effect.gen(function* () {
        const { reached, ...balancer } = yield* listening(program, 0)
        const path = "/v1/a%2Fb/%61/../c?d=%20"
        const { headers } = yield* send(balancer, method, path, {
          headers: { "x-forwarded-for": "203.0.113.9", authorization: "Basic x" }
        })
        expect(headers["retry-after"]).toBe(undefined)
        expect(reached).toMatchObject([
          {
            request: `${method} ${path}`,
            headers: {
              host: expect.stringMatching(/^127\.0\.0\.1(:\d+)?$/),
              authorization: "Basic x",
              "x-forwarded-for": "203.0.113.9, 127.0.0.1",
              "x-forwarded-proto": "https"
            }
          }
        ])
        expect(reached[0]?.headers.connection).not.toBe("close")
      })
    )

    it.live("lets nodes count failed authentications by the address of the caller, whatever that says of itself", () =>
      Effect.gen(function* () {
        const node = yield* Child.serve("--trusted-proxy", "127.0.0.1")
        const { host } = new URL(node.url)
        const balancer = yield* program.start([host, host, host])
        const fail = (localAddress: string, n: number) => {
          const options = { localAddress, headers: { "x-forwarded-for": `203.0.113.${n}` } }
          return Effect.map(send(balancer, "GET", "/v1/organizations", options), ({ status }) => status)
        }
        const statuses = yield* Effect.forEach(Array.from({ length: 101 }).keys(), (n) => fail("127.0.0.8", n))
        expect(statuses).toEqual([...Array.from({ length: 100 }, () => 401), 429])
        expect(yield* fail("127.0.0.9", 1)).toBe(401)
      })
    )

    it.live("loses no request while a node restarts", () =>
      Effect.gen(function* () {
        const port = yield* ServerProcess.freePort
        const others = yield* Effect.replicateEffect(Host.start(), 2)
        const restarts = yield* Effect.forkChild(restarting(port, 5))
        const balancer = yield* program.start([`127.0.0.1:${port}`, ...others.map(({ url }) => new URL(url).host)])
        const statuses: Array<number | undefined> = []
        const ask = Effect.map(send(balancer, "GET", "/health"), ({ status }) => statuses.push(status))
        const load = Effect.forEach(Array.from({ length: 16 }), () => Effect.forever(ask), { concurrency: 16 })
        yield* Effect.raceFirst(load, Fiber.join(restarts))
        expect(statuses.filter((status) => status !== 200)).toEqual([])
      })
    )

    it.live("asks to wait when no node is there", () =>
      Effect.gen(function* () {
        const port = yield* ServerProcess.freePort
        const balancer = yield* program.start([`127.0.0.1:${port}`, `127.0.0.1:${port}`, `127.0.0.1:${port}`])
        const { headers, status } = yield* send(balancer, "GET", "/v1")
        // nginx has tried, HAProxy knows
        expect([status, headers["retry-after"]]).toEqual([program === Balancer.nginx ? 502 : 503, "1"])
      })
    )
  })
})

Balancer.haproxy.suite(() => {
  it.live("HAProxy passes requests on when no node is ready, since these say themselves for how long", () =>
    Effect.gen(function* () {
      const probed = yield* Deferred.make<void>()
      let probes = 0
      const node = listen(({ url }, response) => {
        // each node twice: the first one counted
        if (url === "/ready" && ++probes > 6) Deferred.doneUnsafe(probed, Exit.void)
        response.writeHead(503, { "retry-after": "7" }).end()
      })
      const nodes = yield* Effect.replicateEffect(node, 3)
      const balancer = yield* Balancer.haproxy.start(nodes.map(({ address }) => address))
      yield* Deferred.await(probed)
      for (const method of ["GET", "DELETE"]) {
        const { headers, status } = yield* send(balancer, method, "/v1")
        expect([status, headers["retry-after"]]).toEqual([503, "7"])
      }
    })
  )
})

describe("the history of keys", () => {
  const keys = [1, 2, 3].map((n) => keyId("a", n))
  type Line = readonly [begun: number, ended: number, caller: number, what: History.Event["what"], target?: number]
  const history = (lines: ReadonlyArray<Line>): History.History => ({
    keys,
    events: lines.map(([begun, ended, caller, what, target]) => ({
      begun,
      ended,
      what,
      caller: keyId("a", caller),
      ...(target !== undefined && { target: keyId("a", target) }),
      by: "nginx"
    }))
  })

  const right: ReadonlyArray<readonly [name: string, lines: ReadonlyArray<Line>]> = [
    [
      "a key is let in until it is deleted",
      [
        [0, 1, 2, "authenticated"],
        [2, 5, 1, "deleted", 2],
        [3, 4, 2, "authenticated"],
        [6, 7, 2, "unauthorized"]
      ]
    ],
    [
      "a deletion finds nothing after another one",
      [
        [0, 1, 1, "deleted", 2],
        [2, 3, 3, "not found", 2]
      ]
    ],
    [
      "of two that delete one another one is refused",
      [
        [0, 3, 1, "deleted", 2],
        [0, 3, 2, "unauthorized"]
      ]
    ],
    [
      "a deletion of unknown outcome was done",
      [
        [0, Infinity, 1, "perhaps deleted", 2],
        [8, 9, 2, "unauthorized"]
      ]
    ],
    [
      "or not",
      [
        [0, Infinity, 1, "perhaps deleted", 2],
        [8, 9, 2, "authenticated"]
      ]
    ],
    [
      "or later",
      [
        [0, Infinity, 1, "perhaps deleted", 2],
        [7, 8, 2, "authenticated"],
        [8.5, 9, 2, "unauthorized"]
      ]
    ],
    [
      "or not, because its key was gone",
      [
        [0, Infinity, 3, "perhaps deleted", 1],
        [0, 2, 2, "deleted", 3],
        [0, 2, 1, "deleted", 2]
      ]
    ],
    [
      "an assumed deletion was done by its first attempt",
      [
        [0, 5, 1, "assumed", 2],
        [2, 3, 2, "unauthorized"]
      ]
    ],
    [
      "or by somebody else",
      [
        [0, 5, 1, "assumed", 2],
        [0, 5, 3, "deleted", 2]
      ]
    ]
  ]
  it.each(right)("is right: %s", (_, lines) => {
    expect(History.wrong(history(lines))).toBe(undefined)
    expect(History.lost(history(lines))).toEqual([])
  })

  const wrong: ReadonlyArray<readonly [name: string, lines: ReadonlyArray<Line>]> = [
    ["a key is refused that nobody deleted", [[0, 1, 2, "unauthorized"]]],
    ["a deletion finds nothing where nobody deleted", [[0, 1, 1, "not found", 2]]],
    [
      "a key is refused before its deletion",
      [
        [0, 1, 2, "unauthorized"],
        [2, 3, 1, "deleted", 2]
      ]
    ],
    [
      "two delete one another",
      [
        [0, 3, 1, "deleted", 2],
        [0, 3, 2, "deleted", 1]
      ]
    ],
    [
      "a key is deleted twice",
      [
        [0, 3, 1, "deleted", 2],
        [0, 3, 3, "deleted", 2]
      ]
    ],
    [
      "a key comes back",
      [
        [0, Infinity, 1, "perhaps deleted", 2],
        [1, 2, 2, "unauthorized"],
        [3, 4, 2, "authenticated"]
      ]
    ]
  ]
  it.each(wrong)("is wrong: %s", (_, lines) => {
    expect(History.wrong(history(lines))).toMatch(/^no order explains\n/)
  })

  it.each(["deleted", "assumed"] as const)("names a key that was let in after it was %s", (what) => {
    const lines = history([
      [0, 1, 1, what, 2],
      [2, 3, 2, "authenticated"]
    ])
    expect(History.lost(lines)).toEqual([keyId("a", 2)])
    expect([...History.acknowledged(lines)]).toEqual([[keyId("a", 2), 1]])
    expect(
      History.lost(
        history([
          [0, 2, 1, what, 2],
          [1, 3, 2, "authenticated"]
        ])
      )
    ).toEqual([])
  })
})
