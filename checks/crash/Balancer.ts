import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { Child, Program, selfSigned } from "../fixtures/index.ts"

export interface Balancer {
  readonly url: string
  readonly certificate: string
  readonly folder: string
  readonly process: ChildProcess
}

const launch = Effect.fnUntraced(function* (program: Program.Name, args: ReadonlyArray<string>, ready: RegExp) {
  const { process, until } = yield* Child.program(Program.find(program) ?? program, args, {}, "SIGTERM")
  yield* until("stderr", ready)
  return process
})

interface Options {
  readonly name: string
  readonly program: "nginx" | "haproxy"
  readonly example: string
  readonly listens: string
  readonly configure: (folder: string, example: string) => string
  readonly run: (folder: string, configuration: string) => ReturnType<typeof launch>
}

export type Balanced = ReturnType<typeof make>

const make = ({ configure, example, listens, name, program, run }: Options) => {
  const start = Effect.fnUntraced(function* (
    nodes: ReadonlyArray<string>,
    edit: (text: string) => string = (text) => text
  ) {
    const port = yield* Child.freePort
    const { cert: certificate, key } = selfSigned()
    const folder = yield* Child.folder({
      "cloud-management.crt": certificate,
      "cloud-management.key": key,
      "cloud-management.pem": certificate + key
    })
    chmodSync(folder, 0o755) // for workers, which root starts as another user
    const documented = readFileSync(`examples/deploy/${example}`, "utf8")
      .replace(listens, `127.0.0.1:${port}`)
      .replace(/10\.0\.0\.1([123]):8080/g, (_, n) => nodes[n - 1] ?? "")
      .replaceAll(`/etc/${program}/tls`, folder)
    const configuration = `${folder}/${name}.conf`
    writeFileSync(configuration, configure(folder, edit(documented)))
    const process = yield* run(folder, configuration)
    return { url: `https://127.0.0.1:${port}`, certificate, folder, process } satisfies Balancer
  })
  return {
    name,
    version: () => Program.version(program, name, "-v"),
    /** Starts it in front of three nodes, each named as `address:port`, on a port of 127.0.0.1; it ends with the scope. */
    start: (...args: Parameters<typeof start>) => Effect.orDie(Effect.retry(start(...args), { times: 3 })),
    suite: (tests: () => void) => Program.suite([program], tests)
  }
}

const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]

export const nginx = make({
  name: "nginx",
  program: "nginx",
  example: "nginx.conf",
  listens: "443",
  configure: (folder, example) => `
    daemon off;
    pid ${folder}/nginx.pid;
    error_log stderr notice;
    events { worker_connections 2048; }
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n")}
      ${example}
    }`,
  run: (folder, configuration) =>
    launch("nginx", ["-p", folder, "-c", configuration, "-e", "stderr"], /start worker process /)
})

const runHaproxy = (_: string, configuration: string) =>
  launch("haproxy", ["-W", "-db", "-f", configuration], /Loading success/)

export const haproxy = make({
  name: "HAProxy",
  program: "haproxy",
  example: "haproxy.cfg",
  listens: "10.0.0.10:443",
  configure: (_, example) => example,
  run: runHaproxy
})

type Server = Readonly<Record<"postgres" | "rest", number>> & { readonly host: string }
const beforeDatabases = Effect.fnUntraced(function* (one: Server, two: Server) {
  const host = "127.0.0.23"
  const port = yield* Child.freePortOf(host)
  const documented = readFileSync("examples/deploy/haproxy-postgresql.cfg", "utf8")
    .replace("127.0.0.1:5432", `${host}:${port}`)
    .replace("10.0.0.21:5432 check port 8008", `${one.host}:${one.postgres} check port ${one.rest}`)
    .replace("10.0.0.22:5432 check port 8008", `${two.host}:${two.postgres} check port ${two.rest}`)
  const folder = yield* Child.folder({ "haproxy.cfg": documented })
  yield* runHaproxy(folder, `${folder}/haproxy.cfg`)
  return { host, port }
})

export const databases = (one: Server, two: Server) => Effect.retry(beforeDatabases(one, two), { times: 3 })
