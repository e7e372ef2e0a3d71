import { Data, Effect, Schedule, Scope } from "effect"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { Child, PostgresServer, Program, TcpProxy } from "../fixtures/index.ts"
import * as Kernel from "../fixtures/Kernel.ts"
import * as Balancer from "./Balancer.ts"

export const programs = ["postgres", "patroni", "patronictl", "etcd", "haproxy"] as const

const path = (name: (typeof programs)[number]) => Program.find(name) ?? name

export const versions = () => [
  PostgresServer.version(),
  Program.version("patroni", "Patroni"),
  Program.version("etcd"),
  Program.version("haproxy", "HAProxy", "-v")
]

export class NotInTime extends Data.TaggedError("NotInTime")<{ readonly message: string }> {}

const password = "postgres"

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name)
  } catch {
    // it has ended
  }
}

const ok = (url: string) =>
  Effect.tryPromise(async (abort) => {
    const response = await fetch(url, { signal: AbortSignal.any([abort, AbortSignal.timeout(2000)]) })
    await response.body?.cancel()
    return response.ok
  }).pipe(Effect.orElseSucceed(() => false))

const made = Effect.fnUntraced(function* () {
  const folder = yield* Child.folder()
  chmodSync(folder, 0o755)
  PostgresServer.own(folder)
  const started: Array<{ readonly name: string; readonly child: Child.Child }> = []
  const launch = (name: string, command: "etcd" | "patroni", args: ReadonlyArray<string>) =>
    Effect.map(Child.program(...PostgresServer.asServer(path(command), args), { LC_ALL: "C.UTF-8" }), (child) => {
      started.push({ name, child })
      return child.process
    })
  const logs = () =>
    started.flatMap(({ child: { output }, name }) => {
      // no stack traces of health checks that HAProxy ends early
      const lines = `${output.stdout}${output.stderr}`.match(/^\d{4}-(?!.*(Traceback|Exception happened)).*$/gm) ?? []
      return [`--- ${name}`, ...lines.slice(-25)]
    })
  const until = (what: string, check: Effect.Effect<boolean>) =>
    Effect.repeat(check, { until: (is) => is, schedule: Schedule.spaced("100 millis") }).pipe(
      Effect.timeout("2 minutes"),
      Effect.mapError(() => new NotInTime({ message: [`not within two minutes: ${what}`, ...logs()].join("\n") })),
      Effect.asVoid
    )

  // an address of its own for each, so that no connection of another program takes its ports while it is down
  const etcd = "127.0.0.20"
  const [client, peer] = [yield* Child.freePortOf(etcd), yield* Child.freePortOf(etcd)]
  const [clientUrl, peerUrl] = [`http://${etcd}:${client}`, `http://${etcd}:${peer}`]
  yield* launch("etcd", "etcd", [
    `--data-dir=${folder}/etcd`,
    "--name=etcd",
    "--log-level=warn",
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=etcd=${peerUrl}`
  ])
  yield* until("etcd is healthy", ok(`${clientUrl}/health`))

  const documented = readFileSync("examples/deploy/patroni.yml", "utf8")
  const machineOn = Effect.fnUntraced(function* (host: string, name: string) {
    const scope = yield* Effect.scope
    const [postgres, rest] = [yield* Child.freePortOf(host), yield* Child.freePortOf(host)]
    const toEtcd = yield* TcpProxy.open(client, etcd)
    /** The ways of the other machine to this one: to its server and to Patroni. */
    const ways = [yield* TcpProxy.open(postgres, host), yield* TcpProxy.open(rest, host)] as const
    const data = `${folder}/${name}`
    const configuration = `${folder}/${name}.yml`
    writeFileSync(
      configuration,
      documented
        .replace("name: database1", `name: ${name}`)
        .replace("10.0.0.31:2379, 10.0.0.32:2379, 10.0.0.33:2379", `127.0.0.1:${toEtcd.port}`)
        // not the address that etcd names, which would go past the proxy
        .replace("etcd3:", "etcd3:\n  use_proxies: true")
        .replaceAll("listen: 10.0.0.21:5432", `listen: ${host}:${postgres}`)
        .replaceAll("listen: 10.0.0.21:8008", `listen: ${host}:${rest}`)
        // what the other machine uses
        .replaceAll("connect_address: 10.0.0.21:5432", `connect_address: 127.0.0.1:${ways[0].port}`)
        .replaceAll("connect_address: 10.0.0.21:8008", `connect_address: 127.0.0.1:${ways[1].port}`)
        .replaceAll("10.0.0.0/24", "127.0.0.0/8")
        .replace("/var/lib/postgresql/cloud-management", data)
        .replace("/var/lib/postgresql/.pgpass_patroni", `${folder}/${name}.pgpass`)
        .replace("/usr/lib/postgresql/15/bin", PostgresServer.bin ?? "")
        .replace(/CHANGE-ME\S*/g, password)
        // a crash of processes loses nothing that was not written to the disk
        .replace(
          "max_connections: 200",
          `max_connections: 200\n        fsync: "off"\n        unix_socket_directories: ""`
        )
        .replace("mode: automatic", "mode: off")
    )
    let patroni = yield* launch(name, "patroni", [configuration])
    const start = Effect.map(launch(name, "patroni", [configuration]), (child) => void (patroni = child)).pipe(
      Effect.provideService(Scope.Scope, scope)
    )
    const killPatroni = Effect.suspend(() => Child.end(patroni, "SIGKILL"))
    /** The first process of the server, if it runs: the file can be that of one that was killed. */
    const postmaster = () => {
      const file = `${data}/postmaster.pid`
      const pid = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : 0
      const command = `/proc/${pid}/cmdline`
      return existsSync(command) && readFileSync(command, "utf8").includes(data) ? [pid] : []
    }
    const signalServer = (name: NodeJS.Signals) =>
      Effect.sync(() =>
        postmaster().flatMap((pid) => {
          // so that it starts no more processes
          if (name !== "SIGCONT") signal(pid, "SIGSTOP")
          const all = [...Kernel.childrenOf(pid), pid]
          for (const each of all) signal(each, name)
          return all
        })
      )
    const kill = Effect.gen(function* () {
      yield* killPatroni
      const killed = yield* signalServer("SIGKILL")
      while (!killed.every((pid) => (Kernel.stat(pid)?.state ?? "Z") === "Z")) yield* Effect.sleep("20 millis")
    })
    yield* Effect.addFinalizer(() => kill)
    return {
      name,
      host,
      postgres,
      rest,
      configuration,
      database: `postgres://postgres:${password}@${host}:${postgres}/cloud`,
      is: (path: "/primary" | "/synchronous" | "/replica") => ok(`http://${host}:${rest}${path}`),
      start,
      kill,
      killPatroni,
      freeze: Effect.andThen(
        Effect.sync(() => patroni.kill("SIGSTOP")),
        signalServer("SIGSTOP")
      ),
      // a frozen Patroni before 3.1 that goes on would take the lease back: docs/service/cluster.md
      thaw: Effect.all([signalServer("SIGCONT"), killPatroni, start]),
      etcd: toEtcd,
      ways
    }
  })
  const [one, two] = [yield* machineOn("127.0.0.21", "database1"), yield* machineOn("127.0.0.22", "database2")]

  const haproxy = yield* Balancer.databases(one, two)

  const primary = Effect.gen(function* () {
    const [isOne, isTwo] = yield* Effect.all([one.is("/primary"), two.is("/primary")], { concurrency: 2 })
    return isOne === isTwo ? undefined : isOne ? { primary: one, standby: two } : { primary: two, standby: one }
  })
  let isSynchronous = true
  const control = (...args: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      if (args.includes("synchronous_mode=false")) isSynchronous = false
      return Child.execute(path("patronictl"), ["-c", one.configuration, ...args], { LC_ALL: "C.UTF-8" })
    }).pipe(Effect.timeout("1 minute"))
  const roles = Effect.gen(function* () {
    let found: Effect.Success<typeof primary>
    yield* until(
      "one primary",
      Effect.map(primary, (now) => (found = now) !== undefined)
    )
    return found ?? (yield* new NotInTime({ message: "no primary" }))
  })
  const isWhole = Effect.flatMap(primary, (found) =>
    found === undefined ? Effect.succeed(false) : found.standby.is(isSynchronous ? "/synchronous" : "/replica")
  )
  const patroni = {
    database: `postgres://postgres:${password}@${haproxy.host}:${haproxy.port}/cloud?target_session_attrs=read-write`,
    roles,
    /** Waits until one machine is the primary and the other its standby: a synchronous one, if the mode is on. */
    whole: until("a primary with its standby", isWhole),
    control,
    until
  }

  yield* patroni.whole
  const maintenance = (yield* roles).primary.database.replace(/cloud$/, "postgres")
  yield* PostgresServer.program("createdb", [`--maintenance-db=${maintenance}`, "cloud"])
  return patroni
})

export const start = Effect.orDie(Effect.retry(made(), { times: 2, schedule: Schedule.spaced("1 second") }))
export type Patroni = Effect.Success<typeof start>
export type Machine = Effect.Success<Patroni["roles"]>["primary"]
