import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { selfSigned } from "../../packages/service/test/certificate.ts"
import * as ServerProcess from "../../packages/service/test/ServerProcess.ts"
import * as Child from "../../packages/cli/test/Child.ts"

/** A balancer that listens. */
export interface Balancer {
  readonly url: string
  /** Its certificate, which no authority has signed. */
  readonly certificate: string
}

/** A program that balances, with the configuration of the documents. */
export interface Program {
  readonly name: string
  /** Its name and version, or nothing where it is not installed. */
  readonly version: string | undefined
  /** What a check reports where it is not installed. */
  readonly absent: string
  /**
   * Starts it in front of three nodes, each named as `address:port`, on a port of 127.0.0.1. It ends with the scope.
   */
  readonly start: (nodes: ReadonlyArray<string>) => Effect.Effect<Balancer, never, Scope.Scope>
  /** Tests that need it: skipped with that sentence where it is not installed, except in CI, where it has to be. */
  readonly suite: (tests: () => void) => void
}

/** What differs between programs. */
interface Options {
  readonly name: string
  readonly package: string
  readonly versionFlag: string
  /** The example, and the address that it listens at. */
  readonly example: string
  readonly listens: string
  /** The whole configuration in a folder, from the example with the addresses of this machine. */
  readonly configure: (folder: string, example: string) => string
  /** The arguments that start it in the foreground, given its configuration. */
  readonly args: (folder: string, configuration: string) => ReadonlyArray<string>
  /** What it writes to stderr when it is ready. */
  readonly ready: string
}

// Debian keeps both where only root looks
const env = { PATH: `${process.env["PATH"]}:/usr/sbin` }

const make = ({ args, configure, example, listens, name, ready, versionFlag, ...options }: Options): Program => {
  const { stderr, stdout } = spawnSync(name.toLowerCase(), [versionFlag], { env, encoding: "utf8" })
  const number = /\d+\.\d+\.\d+/.exec(`${stdout}${stderr}`)?.[0]
  const version = number === undefined ? undefined : `${name} ${number}`
  const absent = `no ${name} is installed here (Debian: apt-get install ${options.package})`
  const launch = Effect.fnUntraced(function* (nodes: ReadonlyArray<string>) {
    const port = yield* ServerProcess.freePort
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
      .replaceAll(`/etc/${name.toLowerCase()}/tls`, folder)
    const configuration = `${folder}/${name}.conf`
    writeFileSync(configuration, configure(folder, documented))
    yield* Effect.acquireRelease(
      ServerProcess.start(() => spawn(name.toLowerCase(), args(folder, configuration), { env }), "stderr", ready),
      (child) => ServerProcess.end(child, "SIGTERM")
    )
    return { url: `https://127.0.0.1:${port}`, certificate }
  })
  return {
    name,
    version,
    absent,
    start: (nodes) => Effect.orDie(Effect.retry(launch(nodes), { times: 3 })),
    suite: (tests) => {
      if (version !== undefined) return tests()
      it.skipIf(process.env["CI"] !== "true")(`without ${name}: ${absent}`, () => expect.unreachable(absent))
    }
  }
}

const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]

export const nginx: Program = make({
  name: "nginx",
  package: "nginx-light",
  versionFlag: "-v",
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
  args: (folder, configuration) => ["-p", folder, "-c", configuration, "-e", "stderr"],
  ready: "start worker process "
})

export const haproxy: Program = make({
  name: "HAProxy",
  package: "haproxy",
  versionFlag: "-v",
  example: "haproxy.cfg",
  listens: "10.0.0.10:443",
  configure: (_, example) => example,
  args: (_, configuration) => ["-W", "-db", "-f", configuration],
  ready: "Loading success"
})
