import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HttpClient from "effect/http/HttpClient"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import type * as Seed from "@cloud-management/service/Seed"
import * as Child from "../fixtures/Child.ts"
import * as Balancer from "./Balancer.ts"
import * as Node from "./Node.ts"

/** Where the load goes. */
export interface Cluster {
  readonly transport: HttpClient.HttpClient
  /** The URL of the load balancer. */
  readonly url: string
  readonly nodes: ReadonlyArray<Node.Node>
  /** How many requests have been sent through the transport. */
  readonly requests: () => number
}

const hosts = ["127.0.0.11", "127.0.0.12", "127.0.0.13"]

/** Three nodes over a database, which they fill with that content, behind nginx. They end with the scope. */
export const start = Effect.fnUntraced(function* (database: string, content: Seed.Document) {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(content) })
  const nodes = yield* Effect.forEach(
    hosts,
    (host) => Node.make(host, "--database", database, "--seed", `${folder}/seed.json`),
    { concurrency: "unbounded" }
  )
  const { certificate, url } = yield* Balancer.nginx.start(nodes.map(({ address }) => address))
  setDefaultCACertificates([...getCACertificates(), certificate])

  let requests = 0
  const transport = HttpClient.tapRequest(
    Context.get(yield* Layer.build(NodeTransport.layer), HttpClient.HttpClient),
    () => Effect.sync(() => requests++)
  )
  const cluster: Cluster = { transport, url, nodes, requests: () => requests }
  return cluster
})
