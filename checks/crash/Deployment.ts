import { Context, Effect, Layer, Schedule } from "effect"
import { HttpClient } from "effect/http"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { NodeTransport } from "@cloud-management/node"
import type { Seed } from "@cloud-management/service"
import * as Child from "../fixtures/Child.ts"
import * as Balancer from "./Balancer.ts"
import type * as Client from "./Client.ts"

/** Ends a node: at once, or once the requests under way are done. */
export type Signal = "SIGKILL" | "SIGTERM"

/** On an address of its own, whose port nobody takes while it is down. It believes what 127.0.0.1 says of callers. */
const makeNode = Effect.fnUntraced(function* (host: string, ...args: ReadonlyArray<string>) {
  const crashes: Array<string> = []
  const fixed = ["serve", "--format", "json", "--host", host, "--trusted-proxy", "127.0.0.1", ...args, "--port"]
  const serve = (port: string) =>
    Effect.tap(Effect.flatMap(Child.start([...fixed, port]), Child.listening), ({ process }) =>
      Effect.sync(() =>
        process.once("exit", (code, signal) => crashes.push(`${host} ended by itself: ${signal ?? code}`))
      )
    )
  let child = yield* Effect.orDie(serve("0"))
  let isUp = true
  const { url } = child
  const { host: address, port } = new URL(url)
  // 7: the database is away
  const again = { while: ({ code }: Child.ProcessFailed) => code === 7, schedule: Schedule.spaced("100 millis") }
  return {
    address,
    url,
    isUp: () => isUp,
    crashes,
    stop: (signal: Signal) =>
      Effect.suspend(() => {
        isUp = false
        child.process.removeAllListeners("exit").kill(signal)
        return child.end
      }),
    /** Starts it, again and again until it stays, and waits until it listens. */
    start: Effect.map(Effect.orDie(Effect.retry(serve(port), again)), (started) => {
      child = started
      isUp = true
    })
  }
})
export type Node = Effect.Success<ReturnType<typeof makeNode>>

const hosts = ["127.0.0.11", "127.0.0.12", "127.0.0.13"]

/** Nodes over a database, which they fill, behind nginx or without a balancer: then users call them in turn. */
export const start = Effect.fnUntraced(function* (
  database: string,
  content: Seed.Document,
  { isBalanced, nodes: count }: { readonly isBalanced: boolean; readonly nodes: number }
) {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(content) })
  const nodes = yield* Effect.forEach(
    hosts.slice(0, count),
    (host) => makeNode(host, "--database", database, "--seed", `${folder}/seed.json`),
    { concurrency: "unbounded" }
  )
  let fronts: ReadonlyArray<Client.Address> = nodes.map(({ address, url }) => ({ by: address, url, isFront: true }))
  if (isBalanced) {
    const { certificate, url } = yield* Balancer.nginx.start(nodes.map(({ address }) => address))
    setDefaultCACertificates([...getCACertificates(), certificate])
    fronts = [{ by: "nginx", url, isFront: true }]
  }

  let turn = 0
  let requests = 0
  const transport = HttpClient.tapRequest(
    Context.get(yield* Layer.build(NodeTransport.layer), HttpClient.HttpClient),
    () => Effect.sync(() => requests++)
  )
  const front = () => fronts[turn++ % fronts.length] ?? { by: "", url: "", isFront: true }
  return { transport, front, nodes, requests: () => requests }
})
export type Deployment = Effect.Success<ReturnType<typeof start>>
