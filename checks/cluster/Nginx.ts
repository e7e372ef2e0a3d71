import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { selfSigned } from "../../packages/service/test/certificate.ts"
import * as ServerProcess from "../../packages/service/test/ServerProcess.ts"
import * as Child from "../../packages/cli/test/Child.ts"

const find = () => {
  // Debian keeps it where only root looks
  const env = { PATH: `${process.env["PATH"]}:/usr/sbin` }
  const { stderr } = spawnSync("nginx", ["-v"], { env, encoding: "utf8" })
  return { env, version: /nginx\/[\d.]+/.exec(stderr ?? "")?.[0].replace("/", " ") }
}
const { env, version: found } = find()

/** Name and version of the nginx that {@link start} starts, or nothing where none is installed. */
export const version: string | undefined = found

/** What is said where it has to be done without. */
export const absent = "no nginx is installed here (Debian: apt-get install nginx-light)"

/** An nginx that listens. */
export interface Balancer {
  readonly url: string
  /** Its certificate, which no authority has signed. */
  readonly certificate: string
}

/** The configuration of the documents, with addresses and files of this machine. */
const configure = (folder: string, port: number, nodes: ReadonlyArray<string>) => {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
  const documented = readFileSync("examples/nginx/cloud-management.conf", "utf8")
    .replace(/10\.0\.0\.1(\d):8080/g, (_, n) => nodes[n - 1] ?? "")
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replaceAll("/etc/nginx/tls", folder)
  return `
    daemon off;
    pid ${folder}/nginx.pid;
    error_log stderr notice;
    events { worker_connections 2048; }
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n")}
      ${documented}
    }`
}

const launch = Effect.fnUntraced(function* (nodes: ReadonlyArray<string>) {
  const port = yield* ServerProcess.freePort
  const { cert: certificate, key } = selfSigned()
  const folder = yield* Child.folder({ "cloud-management.crt": certificate, "cloud-management.key": key })
  chmodSync(folder, 0o755) // for its workers, which root starts as another user
  writeFileSync(`${folder}/nginx.conf`, configure(folder, port, nodes))
  yield* Effect.acquireRelease(
    ServerProcess.start(
      () => spawn("nginx", ["-p", folder, "-c", "nginx.conf", "-e", "stderr"], { env }),
      "stderr",
      "start worker process "
    ),
    (child) => ServerProcess.end(child, "SIGTERM")
  )
  const balancer: Balancer = { url: `https://127.0.0.1:${port}`, certificate }
  return balancer
})

/**
 * Starts nginx in front of nodes, each named as `address:port`, with the configuration of the documents on a port of
 * 127.0.0.1. It ends with the scope.
 */
export const start = (nodes: ReadonlyArray<string>) => Effect.orDie(Effect.retry(launch(nodes), { times: 3 }))

/** Tests that need it: skipped by that sentence where it is not installed, except in CI, where it has to be. */
export const suite = (tests: () => void): void => {
  if (version !== undefined) return tests()
  it.skipIf(process.env["CI"] !== "true")(`without nginx: ${absent}`, () => expect.unreachable(absent))
}
