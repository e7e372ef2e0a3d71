import { Child, describe, exits, expect, it, Listener } from "../../../checks/fixtures/index.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { execFileSync } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { setImmediate } from "node:timers/promises"
import { Fixtures } from "@cloud-management/testing"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

const { acme, deployKey } = Fixtures
const seed = JSON.stringify(Fixtures.seed)

const pipe = Effect.map(Child.folder(), (folder) => {
  execFileSync("mkfifo", [`${folder}/pipe`])
  return `${folder}/pipe`
})

describe("a pipe in place of a file", () => {
  const listing = (url: string) => ({ CLOUD_MANAGEMENT_BASE_URL: url, CLOUD_MANAGEMENT_KEY_ID: deployKey.id })
  const list = ["organizations", "list", "--key-secret-file"]
  const service = Listener.replying((received) =>
    received.at(-1)?.headers.authorization === `Basic ${btoa(`${deployKey.id}:${deployKey.secret}`)}`
      ? Server.reply({ result: [{ id: acme }], requestId: "r" })
      : { status: 401 }
  )

  it.live("that has a name is read to its end", function* () {
    const path = yield* pipe
    const database = `${path}.db`
    const { url } = yield* service
    for (const [args, env, text] of [
      [[...list, path], listing(url), `${deployKey.secret}\n`],
      [list.slice(0, 2), { ...listing(url), CLOUD_MANAGEMENT_KEY_SECRET_FILE: path }, deployKey.secret],
      [["admin", "seed", path, "--database", database], {}, seed],
      [["admin", "export"], { CLOUD_MANAGEMENT_DATABASE_FILE: path }, database],
      [
        ["request", "POST", "/v1/x", "--yes", "--data", `@${path}`],
        { ...listing(url), CLOUD_MANAGEMENT_KEY_SECRET: deployKey.secret },
        "{}"
      ]
    ] as const) {
      const [ended] = yield* Effect.all([Invocation.run(args, env), Effect.promise(() => writeFile(path, text))], {
        concurrency: "unbounded"
      })
      expect(ended).toMatchObject({ code: 0 })
    }
  })

  it.live("that is stdin is read to its end, also if it is a socket", function* () {
    const { url } = yield* service
    for (const path of ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]) {
      expect(yield* Child.run([...list, path], listing(url), deployKey.secret)).toMatchObject({ code: 0 })
    }
    expect(
      yield* Child.run(["admin", "seed", "/dev/stdin", "--database", `${yield* pipe}.db`], {}, seed)
    ).toMatchObject({ code: 0 })
  })

  it.live("that a shell opened is read to its end, also by serve, which starts anew", function* () {
    const folder = yield* Child.folder({ "seed.json": seed })
    for (const descriptor of [3, 63]) {
      const child = yield* Child.shell(`exec "$@" ${descriptor}< <(cat '${folder}/seed.json')`, [
        "serve",
        "--port",
        "0",
        "--seed",
        `/dev/fd/${descriptor}`
      ])
      yield* child.until("stdout", /Listening on/)
    }
  })

  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130]
  ] as const) {
    it.live(`that has no writer does not keep a command from ending at ${signal}`, function* () {
      const path = yield* pipe
      // its warning shows that the command has begun
      const child = yield* Child.start(["admin", "seed", path, "--database", "postgres://u:p4ss@127.0.0.1:1/d"])
      yield* child.until("stderr", /process lists/)
      child.process.kill(signal)
      expect(yield* child.end).toMatchObject({ code, stdout: "" })
    })
  }

  it.effect("that stays silent is given up after a minute", function* () {
    const path = yield* pipe
    const passing = Effect.forever(
      Effect.andThen(
        TestClock.adjust("10 seconds"),
        Effect.promise(() => setImmediate())
      )
    )
    for (const args of [
      [...list, path],
      ["admin", "seed", path, "--database", `${path}.db`]
    ]) {
      const ended = yield* Effect.raceFirst(Invocation.run(args, listing("http://127.0.0.1:1")), passing)
      expect(ended).toMatchObject(exits(2, "within a minute, and no end\n"))
    }
  })
})
