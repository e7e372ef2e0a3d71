import { Context, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { NodeTransport } from "@cloud-management/node"
import type { Seed } from "@cloud-management/service"
import * as Child from "../fixtures/Child.ts"
import * as Balancer from "./Balancer.ts"
import type * as Client from "./Client.ts"
import * as Node from "./Node.ts"

const hosts = ["127.0.0.11", "127.0.0.12", "127.0.0.13"]

/**
 * Nodes over a database, which they fill with that content, behind nginx or without a balancer: then users call them in
 * turn. They end with the scope.
 */
export const start = Effect.fnUntraced(function* (
  database: string,
  content: Seed.Document,
  { isBalanced, nodes: count }: { readonly isBalanced: boolean; readonly nodes: number }
) {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(content) })
  const nodes = yield* Effect.forEach(
    hosts.slice(0, count),
    (host) => Node.make(host, "--database", database, "--seed", `${folder}/seed.json`),
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
  return {
    transport,
    front: () => fronts[turn++ % fronts.length] ?? { by: "", url: "", isFront: true },
    nodes,
    requests: () => requests
  }
})
export type Deployment = Effect.Success<ReturnType<typeof start>>
