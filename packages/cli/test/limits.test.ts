import { Child, describe, expect, Host, isLinux, it } from "../../../checks/fixtures/index.ts"
import { Duration, Effect } from "effect"
import { readFileSync } from "node:fs"
import { HttpHost } from "@cloud-management/service/node"
import * as Invocation from "./Invocation.ts"

describe("serve", () => {
  const health = Host.request("GET /health")
  it.live.each([
    {
      name: "what a caller may send",
      args: ["--max-target-length", "100"],
      env: {
        CLOUD_MANAGEMENT_MAX_HEADER_SIZE: "1000",
        CLOUD_MANAGEMENT_MAX_REQUESTS: "2",
        CLOUD_MANAGEMENT_KEEP_ALIVE_TIMEOUT: "1ms",
        CLOUD_MANAGEMENT_DOCS: "false",
        // for a machine that is busy
        CLOUD_MANAGEMENT_HEADERS_TIMEOUT: "1m",
        CLOUD_MANAGEMENT_REQUEST_TIMEOUT: "2m"
      },
      exchanges: [
        [Host.request(`GET /${"a".repeat(100)}`), "414"],
        [Host.request("GET /health", `X: ${"a".repeat(1000)}`), "431"],
        [health.repeat(3), "200 200"],
        // closed by the service
        [health, "200"],
        [Host.closing("GET /docs"), "404"],
        [Host.closing("GET /openapi.json"), "404"]
      ]
    },
    {
      name: "framing to what no two servers read differently",
      args: [],
      env: { NODE_OPTIONS: "--insecure-http-parser" },
      exchanges: [[Host.request("POST /health", "Transfer-Encoding: chunked", "Content-Length: 5"), "400"]]
    }
  ] as const)("limits $name, as it is told", function* ({ args, env, exchanges }) {
    const { url } = yield* Child.serveWith(env, ...args)
    for (const [text, expected] of exchanges) {
      const response = yield* Host.exchange(url, text)
      const statuses = Array.from(response.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status)
      expect(statuses.join(" ")).toBe(expected)
    }
  })

  it.live("keeps idle connections longer than a timer can, and waits for a request when it stops", function* () {
    const limits = ["--shutdown-timeout", "5s", "--request-timeout", "1h", "--keep-alive-timeout", "30d"]
    const child = yield* Child.serve(...limits)
    const connection = yield* Host.connect(child.url)
    yield* connection.send(health)
    yield* connection.until('{"status":"ok"}')
    // once it is asked for its body, it is under way
    yield* connection.send(Host.request("GET /health", "Content-Length: 1", "Expect: 100-continue"))
    yield* connection.until("100 Continue")
    // the request was cut off before the end of the limit, which leaves time for the rest
    const stderr = expect.not.stringMatching(/without waiting|Timer duration/)
    expect(yield* child.stop).toMatchObject({ code: 0, stderr })
  })

  it.live.runIf(isLinux)("refuses connections before its descriptors are used up, and logs it once", function* () {
    const shell = Child.shell('ulimit -n 80; exec "$@"', [
      ..."serve --port 0 --format json".split(" "),
      // for a machine that is busy: no connection ends before the last one is refused
      ..."--headers-timeout 1h --request-timeout 2h --keep-alive-timeout 1h".split(" ")
    ])
    const { stop, until, url } = yield* Effect.flatMap(shell, Child.listening)
    const healthy = Effect.fnUntraced(function* (connection: Host.Connection) {
      yield* connection.send(health)
      yield* connection.until('{"status":"ok"}')
    })
    yield* Effect.scoped(
      Effect.gen(function* () {
        // half of 80, and as many again
        const [first, ...others] = yield* Effect.replicateEffect(Host.connect(url), 40)
        yield* Effect.forEach(others, healthy)
        const refused = yield* Effect.replicateEffect(Host.connect(url), 40)
        yield* Effect.forEach(refused, ({ end }) => end)
        if (first !== undefined) yield* healthy(first)
      })
    )
    // a second after the last one that was refused
    const [, count] = yield* Effect.raceFirst(
      until("stderr", /connections are accepted again: (\d+) connections were refused in/),
      Effect.forever(Effect.andThen(Host.exchange(url, Host.closing("GET /health")), Effect.sleep("50 millis")))
    )
    expect(Number(count)).toBeGreaterThanOrEqual(40)
    const { stderr } = yield* stop
    expect(stderr.match(/ERROR.* connections are refused: 40 are open, .*\(ulimit -n, LimitNOFILE\)/g)).toHaveLength(1)
  })

  it.live("has the limits that its help and the documents say, and that HttpHost has", function* () {
    const help = yield* Invocation.run(["serve", "--help"])
    // what is wrapped, on one line
    const stdout = help.stdout.replace(/\n {10,}/g, " ")
    const flags = new Map(
      Array.from(stdout.matchAll(/^ +--([\w-]+) .*\[default: (.+)\]$/gm), ([, name = "", value = ""]) => [name, value])
    )
    for (const [name, limit] of Object.entries(HttpHost.standard)) {
      const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      const flag = [...flags.keys()].find((flag) => flag === `${words}-timeout` || words.startsWith(flag)) ?? name
      const value = typeof limit === "number" ? `${limit}` : Duration.format(Duration.fromInputUnsafe(limit))
      expect([name, flags.get(flag)]).toEqual([name, value])
    }

    const documented = readFileSync("docs/service/operations.md", "utf8")
    for (const [, name = ""] of stdout.split("GLOBAL FLAGS")[0]?.matchAll(/^ +--([\w-]+)/gm) ?? []) {
      const variable = `CLOUD_MANAGEMENT_${name.toUpperCase().replaceAll("-", "_")}`
      const row = documented.split("\n").find((line) => line.startsWith("|") && line.includes(`\`--${name}\``))
      expect(row).toContain(`\`${variable}\``)
      const value = flags.get(name)
      if (value !== undefined && value !== "no limit") expect(row).toContain(`| \`${value}\` |`)
    }
  })
})
