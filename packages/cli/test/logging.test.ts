import { Child, expect, isLinux, it } from "../../../checks/fixtures/index.ts"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { closeSync, constants, openSync, readFileSync, statSync } from "node:fs"
import { open } from "node:fs/promises"
import { fileURLToPath } from "node:url"

const floods = fileURLToPath(new URL("flood.ts", import.meta.url))

const flood = Effect.fnUntraced(function* (entries: number) {
  const { end, process, until } = yield* Child.script([floods, `${entries}`])
  process.stderr.pause()
  yield* until("stdout", /logged/)
  process.stderr.resume()
  return { end, process, until }
})

const isEntry = (line: string) => / of a flood"/.test(line)

it.live("the log does not wait in memory without limit for a slow reader, and says what it lost", function* () {
  const { end, process, until } = yield* flood(20_000)
  const [line, dropped] = yield* until(
    "stderr",
    /^\{"time":"[^"]+","level":"WARN","message":"(\d+) log entries were dropped because the reader was too slow"\}\n/m
  )
  process.stdin.end()
  const { stderr } = yield* end
  const lines = stderr.trimEnd().split("\n")
  const written = lines.filter(isEntry).length
  expect(written + Number(dropped)).toBe(20_000)
  // what the process keeps, and what is between it and its reader
  expect(stderr.length).toBeLessThan(2 * 2 ** 20)
  expect(lines.slice(written)).toEqual([line.trimEnd(), expect.stringContaining('"message":"the end"')])
})

const serve = Effect.fnUntraced(function* (file: string) {
  const args = ["serve", "--port", "0", "--metrics-port", "0", "--format", "json"]
  // the signal that comes with a limit would end the process
  const signals = "--import data:text/javascript,process.on('SIGXFSZ',()=>{})"
  const env = { NODE_OPTIONS: signals, CLOUD_MANAGEMENT_LOG_FORMAT: "json" }
  const child = yield* Effect.flatMap(Child.shell(`exec "$@" 2>>'${file}'`, args, env), Child.listening)
  const dropped = Effect.promise(async () => {
    const text = await (await fetch(child.page)).text()
    return Number(/^cloud_management_log_dropped_total (\d+)$/m.exec(text)?.[1])
  })
  let keys = 0
  /** A request that has one record in the log: the first one with its key ID. */
  const refused = Effect.promise(() => {
    const authorization = `Basic ${btoa(`00000000-0000-4000-8000-${String(keys++).padStart(12, "0")}:secret`)}`
    return fetch(`${child.url}/v1/organizations`, { headers: { authorization } })
  })
  return { ...child, dropped, refused }
})

it.live.runIf(isLinux)("a log whose disk was full goes on in a new line, with what it lost", function* () {
  const file = `${yield* Child.folder()}/log`
  const child = yield* serve(file)
  yield* child.refused
  const { size } = statSync(file)
  const limit = (bytes: string) =>
    Effect.sync(() => execFileSync("prlimit", ["--pid", String(child.process.pid), `--fsize=${bytes}:`]))
  yield* limit(`${size + 100}`)
  yield* Effect.repeat(child.refused, { times: 2 })
  expect(yield* child.dropped).toBe(3)
  yield* limit("unlimited")
  yield* child.refused
  expect(yield* child.dropped).toBe(3)
  const [cut = "", ...lines] = readFileSync(file, "utf8").slice(size).trimEnd().split("\n")
  expect(cut).toHaveLength(100)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: "WARN",
      message: "3 log entries were dropped because the log could not be written: EFBIG: file too large, write"
    },
    { audit: "authentication.failed" }
  ])
})

it.live.runIf(isLinux)("goes on when another reads what one left in a named pipe, with what it lost", function* () {
  const pipe = `${yield* Child.folder()}/pipe`
  execFileSync("mkfifo", [pipe])
  const first = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const { end, process, until } = yield* Child.shell(`exec "$1" '${floods}' 20000 2>>'${pipe}'`, [])
  yield* until("stdout", /logged/)
  closeSync(first)
  yield* until("stdout", /failed/)
  // open before the next entry is written
  const reader = yield* Effect.acquireRelease(
    Effect.promise(() => open(pipe)),
    (reader) => Effect.promise(() => reader.close())
  )
  const left = reader.readFile("utf8")
  process.stdin.end()
  yield* end
  const lines = (yield* Effect.promise(() => left)).trimEnd().split("\n")
  const written = lines.filter((line) => line.endsWith("}") && isEntry(line)).length
  expect(lines.slice(-2).map((line) => JSON.parse(line))).toMatchObject([
    { message: `${20_000 - written} log entries were dropped because the log could not be written: write EPIPE` },
    { message: "the end" }
  ])
})
