import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as HttpClient from "effect/http/HttpClient"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import * as NodeTransport from "@cloud-management/node/NodeTransport"
import * as PostgresServer from "../../packages/service/test/PostgresServer.ts"
import { keyId } from "../../packages/service/test/StoreContract.ts"
import * as Child from "../../packages/cli/test/Child.ts"
import * as Content from "../../packages/cli/test/Content.ts"
import * as Chaos from "./chaos.ts"
import * as History from "./History.ts"
import * as Journal from "./Journal.ts"
import * as Load from "./load.ts"
import * as Balancer from "./Balancer.ts"
import * as Node from "./Node.ts"
import * as Tenant from "./Tenant.ts"

const hosts = ["127.0.0.11", "127.0.0.12", "127.0.0.13"]

/** Races for each second: more than a fast machine gets through. */
const racesPerSecond = 30

/** How long it took from a moment to the end of the first call that began later and was served. */
const recovery = (from: number, served: Journal.Journal["served"]) =>
  Math.min(...served.filter(({ begun }) => begun >= from).map(({ ended }) => ended)) - from

/** The longest time without a call that was served, among those that had a part in the outage. */
const silence = ({ from, to }: Chaos.Outage, served: Journal.Journal["served"]) => {
  const ends = served.map(({ ended }) => ended).toSorted((a, b) => a - b)
  const before = ends.findLast((end) => end <= from) ?? from
  const spans = [before, ...ends.filter((end) => end > from)]
  return Math.max(...spans.slice(1).map((end, n) => ((spans[n] ?? end) <= to ? end - (spans[n] ?? end) : 0)))
}

/**
 * Three nodes over one PostgreSQL, behind nginx: a load of the client for so many seconds, during which nodes are killed
 * and the database is restarted. Then what was answered is held against the model, the database and every node.
 */
export const run = Effect.fnUntraced(function* (options: { readonly seconds: number; readonly seed: string }) {
  const { seconds, seed } = options
  const { keys, placed } = yield* Random.withSeed(Load.place(racesPerSecond * seconds), `${seed} races`)

  const server = yield* PostgresServer.PostgresServer
  const database = yield* server.database
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(Tenant.document(Load.tenants, keys)) })
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
  const cluster = { transport, url, nodes }
  const journal = Journal.make()
  const until = performance.now() + seconds * 1000
  const [heard, ended, restarts] = yield* Effect.all(
    [
      Load.races(cluster, journal, placed, until),
      Random.withSeed(Chaos.restartNodes(nodes, until), `${seed} nodes`),
      Random.withSeed(
        Chaos.restartDatabase(server, Math.max(2, Math.round(seconds / 12)), seconds),
        `${seed} database`
      ),
      Load.readers(cluster, journal, until)
    ],
    { concurrency: "unbounded" }
  )
  const seen = yield* Load.look(cluster, journal, heard)

  const begun = performance.now()
  const ids = yield* Content.keyIds(database)
  const inDatabase = { begun, ended: performance.now(), by: "database" }
  const histories = seen.map(({ events, keys }): History.History => ({
    keys,
    events: [
      ...events,
      ...keys.map((caller) => ({
        ...inDatabase,
        caller,
        what: ids.has(caller) ? ("authenticated" as const) : ("unauthorized" as const)
      }))
    ]
  }))
  const touched = new Set(histories.flatMap(({ keys }) => keys))
  const vanished = [...Load.tenants.map((tenant) => keyId(tenant, 0)), ...placed.flatMap(({ keys }) => keys)].filter(
    (key) => !touched.has(key) && !ids.has(key)
  )
  const kills = ended.filter(({ signal }) => signal === "SIGKILL")
  const lost = histories.flatMap(History.lost)
  return {
    ...journal.counts,
    requests,
    races: histories.length,
    acknowledged: histories.reduce((sum, history) => sum + History.acknowledged(history).size, 0),
    errors: journal.errors,
    kills: kills.length,
    stops: ended.length - kills.length,
    restarts: restarts.length,
    lost,
    wrong: [
      ...journal.wrong,
      ...nodes.flatMap(({ crashes }) => crashes),
      ...vanished.map((key) => `${key} is gone, and nobody deleted it`),
      ...histories.flatMap((history) => (History.lost(history).length > 0 ? [] : (History.wrong(history) ?? [])))
    ],
    recovery: {
      afterKills: kills.map(({ from }) => recovery(from, journal.served)),
      ofNodes: kills.map(({ from, to }) => to - from),
      ofDatabase: restarts.map(({ from, to }) => to - from),
      silences: restarts.map((outage) => silence(outage, journal.served))
    }
  }
})
