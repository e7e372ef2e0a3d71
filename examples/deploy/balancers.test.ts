import { Child, describe, expect, Host, it, Listener, selfSigned } from "../../checks/fixtures/index.ts"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from "node:http"
import { request } from "node:https"
import { text } from "node:stream/consumers"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import * as Balancer from "../../checks/crash/Balancer.ts"

const listen = (listener: RequestListener) => Effect.map(Listener.serve(listener), (url) => new URL(url).host)

/** A node that ends, and starts again at its port, so many times: each time after it has served some requests. */
const restarting = Effect.fnUntraced(function* (host: string, port: number, times: number) {
  const life = Effect.gen(function* () {
    const busy = yield* Deferred.make<void>()
    let served = 0
    const accessLog = () => (++served === 50 ? Deferred.succeed(busy, undefined) : Effect.void)
    yield* Layer.build(Host.host(undefined, undefined, { host, port }, { accessLog }))
    yield* Deferred.await(busy)
  })
  yield* Effect.repeat(Effect.scoped(life), { times })
})

interface Options {
  readonly headers?: Readonly<Record<string, string>>
  readonly localAddress?: string
}

const send = ({ certificate, url }: Balancer.Balancer, method: string, path: string, options: Options = {}) =>
  Effect.promise(async () => {
    const sent = request(url, { method, path, ca: certificate, agent: false, ...options }).end()
    const response = await new Promise<IncomingMessage>((done, fail) => sent.once("response", done).once("error", fail))
    await text(response)
    return { status: response.statusCode, headers: response.headers }
  })

const listening = Effect.fnUntraced(function* (program: Balancer.Balanced, lost: number) {
  const reached: Array<{ readonly request: string; readonly headers: IncomingHttpHeaders }> = []
  const node = listen(({ headers, method, socket, url }, response) => {
    if (url === "/ready") response.end()
    else if (reached.push({ request: `${method} ${url}`, headers }) <= lost) socket.destroy()
    else response.end()
  })
  const nodes = yield* Effect.replicateEffect(node, 3)
  return { ...(yield* program.start(nodes)), reached }
})

describe.concurrent.each([Balancer.nginx, Balancer.haproxy])("$name with the documented configuration", (program) => {
  program.suite(() => {
    const once = ["DELETE", "POST", "PUT", "PATCH"].map((method) => [method, "once", 1, 502, 1] as const)
    const again = ["GET", "HEAD", "OPTIONS"].map((method) => [method, "to another node", 2, 200, 3] as const)
    it.live.each([...once, ...again])("sends a %s without a response %s", function* ([method, , lost, status, times]) {
      const { reached, ...balancer } = yield* listening(program, lost)
      const response = yield* send(balancer, method, "/v1")
      expect(response.status).toBe(status)
      expect(response.headers["retry-after"]).toBe(status === 502 ? "1" : undefined)
      expect(reached.map(({ request }) => request)).toEqual(Array.from({ length: times }, () => `${method} /v1`))
    })

    it.live.each(["GET", "DELETE"])("passes a %s on as it came, and says where from", function* (method) {
      const { reached, ...balancer } = yield* listening(program, 0)
      const path = "/v1/a%2Fb/%61/../c?d=%20"
      const sent = { "x-forwarded-for": "203.0.113.9", authorization: "Basic x" }
      const { headers } = yield* send(balancer, method, path, { headers: sent })
      expect(headers["retry-after"]).toBe(undefined)
      const host = expect.stringMatching(/^127\.0\.0\.1(:\d+)?$/)
      const passed = { ...sent, host, "x-forwarded-for": "203.0.113.9, 127.0.0.1", "x-forwarded-proto": "https" }
      expect(reached).toMatchObject([{ request: `${method} ${path}`, headers: passed }])
      expect(reached[0]?.headers.connection).not.toBe("close")
    })

    it.live(
      "lets nodes count failed authentications by the address of the caller, whatever that says of itself",
      function* () {
        const node = yield* Child.serve("--trusted-proxy", "127.0.0.1")
        const { host } = new URL(node.url)
        const balancer = yield* program.start([host, host, host])
        const fail = (localAddress: string, n: number) => {
          const options = { localAddress, headers: { "x-forwarded-for": `203.0.113.${n}` } }
          return Effect.map(send(balancer, "GET", "/v1/organizations", options), ({ status }) => status)
        }
        // at once: the count is that of a minute
        const statuses = yield* Effect.forEach(Array.from({ length: 100 }).keys(), (n) => fail("127.0.0.8", n), {
          concurrency: 20
        })
        expect(statuses.filter((status) => status !== 401)).toEqual([])
        expect(yield* fail("127.0.0.8", 1)).toBe(429)
        expect(yield* fail("127.0.0.9", 1)).toBe(401)
      }
    )

    it.live("loses no request while a node restarts", function* () {
      // an address of its own, so that no connection takes its port while it is down
      const host = program === Balancer.nginx ? "127.0.0.14" : "127.0.0.15"
      const port = yield* Child.freePortOf(host)
      const others = yield* Effect.replicateEffect(Host.start(), 2)
      const restarts = yield* Effect.forkChild(restarting(host, port, 5))
      const balancer = yield* program.start([`${host}:${port}`, ...others.map(({ url }) => new URL(url).host)])
      const statuses: Array<number | undefined> = []
      const ask = Effect.map(send(balancer, "GET", "/health"), ({ status }) => statuses.push(status))
      const load = Effect.forEach(Array.from({ length: 16 }), () => Effect.forever(ask), { concurrency: 16 })
      yield* Effect.raceFirst(load, Fiber.join(restarts))
      expect(statuses.filter((status) => status !== 200)).toEqual([])
    })

    it.live("asks to wait when no node is there", function* () {
      const nobody = "127.0.0.1:1"
      const balancer = yield* program.start([nobody, nobody, nobody])
      const { headers, status } = yield* send(balancer, "GET", "/v1")
      // nginx has tried, HAProxy knows
      expect([status, headers["retry-after"]]).toEqual([program === Balancer.nginx ? 502 : 503, "1"])
    })
  })
})

Balancer.haproxy.suite(() => {
  it.live("HAProxy passes requests on when no node is ready, since these say themselves for how long", function* () {
    const probed = yield* Deferred.make<void>()
    let probes = 0
    const node = listen(({ url }, response) => {
      // each node twice: the first one counted
      if (url === "/ready" && ++probes > 6) Deferred.doneUnsafe(probed, Exit.void)
      response.writeHead(503, { "retry-after": "7" }).end()
    })
    const nodes = yield* Effect.replicateEffect(node, 3)
    const balancer = yield* Balancer.haproxy.start(nodes)
    yield* Deferred.await(probed)
    for (const method of ["GET", "DELETE"]) {
      const { headers, status } = yield* send(balancer, method, "/v1")
      expect([status, headers["retry-after"]]).toEqual([503, "7"])
    }
  })
})

/** For TLS, docs/service/cluster.md adds this to the lines of servers. */
const [, options = ""] = /`(ssl verify required [^`]+)`/.exec(readFileSync("docs/service/cluster.md", "utf8")) ?? []

Balancer.haproxy.suite(() => {
  it.live("HAProxy verifies the certificates of nodes, as the document has it, also for their health", function* () {
    const { cert, key } = selfSigned("ec", undefined, { host: "node.internal" })
    const folder = yield* Child.folder({ "nodes.pem": cert, "key.pem": key, "other.pem": selfSigned().cert })
    chmodSync(folder, 0o755)
    const node = yield* Child.serve("--tls-cert", `${folder}/nodes.pem`, "--tls-key", `${folder}/key.pem`)
    const { host } = new URL(node.url)
    const status = Effect.fnUntraced(function* (authority: string, name: string) {
      const added = options.replace("/etc/haproxy/nodes.pem", `${folder}/${authority}`).replace("NAME", name)
      const balancer = yield* Balancer.haproxy.start([host, host, host], (text) =>
        text.replace(/^ +server .*/gm, (line) => `${line} ${added}`)
      )
      return (yield* send(balancer, "GET", "/ready")).status
    }, Effect.scoped)
    expect(yield* status("nodes.pem", "node.internal")).toBe(200)
    expect(yield* status("nodes.pem", "other.internal")).toBe(503)
    expect(yield* status("other.pem", "node.internal")).toBe(503)
  })

  it.live("HAProxy takes a new certificate when it is reloaded, and ends what it is doing", function* () {
    const reached = yield* Deferred.make<void>()
    const isRenewed = yield* Deferred.make<void>()
    const node = yield* listen(({ url }, response) => {
      if (url !== "/slow") return void response.end()
      Deferred.doneUnsafe(reached, Exit.void)
      void Effect.runPromise(Deferred.await(isRenewed)).then(() => response.end())
    })
    const balancer = yield* Balancer.haproxy.start([node, node, node])
    const slow = yield* Effect.forkChild(send(balancer, "GET", "/slow"))
    yield* Deferred.await(reached)
    const { cert: certificate, key } = selfSigned()
    writeFileSync(`${balancer.folder}/cloud-management.pem`, certificate + key)
    // what `systemctl reload haproxy` sends; HAProxy takes no signal until a moment after it says that it has started
    const reload = Effect.sync(() => balancer.process.kill("SIGUSR2"))
    const isReloading = Effect.callback<void>((resume) => {
      balancer.process.stderr?.on("data", (text) => String(text).includes("Reloading HAProxy") && resume(Effect.void))
    })
    yield* Effect.raceFirst(Effect.forever(Effect.delay(reload, "50 millis")), isReloading)
    const renewed = Effect.exit(send({ ...balancer, certificate }, "GET", "/v1"))
    yield* Effect.repeat(Effect.delay(renewed, "50 millis"), { until: Exit.isSuccess })
    yield* Deferred.succeed(isRenewed, undefined)
    expect((yield* Fiber.join(slow)).status).toBe(200)
  })
})
