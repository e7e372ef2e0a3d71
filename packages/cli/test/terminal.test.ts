import { describe, expect, it, Listener } from "../../../checks/fixtures/index.ts"
import { Effect, Schedule } from "effect"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { Fixtures } from "@cloud-management/testing"
import * as Screen from "./Screen.ts"
import * as Server from "./Server.ts"

const { acme, analytics, backupKey, deployKey, readyEndpoint } = Fixtures
const organizations = Server.reply({ result: [{ id: acme, name: "Acme" }] })
const endpoint = Server.reply({
  requestId: "req-1",
  result: {
    id: readyEndpoint,
    serviceId: analytics,
    description: "A description that is long enough to be wrapped where the terminal is narrow, at a space",
    status: "Ready",
    vpcEndpointServiceName: "com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0",
    dnsNames: ["vpce-0123456789abcdef0.example.com", "vpce-0123456789abcdef1.example.com"]
  }
})
Screen.suite(() =>
  describe("on a terminal", () => {
    it.live.each([60, 80, 120])("help and a result fit %s columns: the terminal breaks no line", function* (columns) {
      const { url } = yield* Listener.replying(() => endpoint)
      const screen = yield* Screen.open({ columns, rows: 70, env: Server.client(url) })
      for (const [line, end] of [
        ["get --help", /^end 1\n\$$/m],
        [`get ${acme} ${analytics} ${readyEndpoint}`, /^end 2\n\$$/m]
      ] as const) {
        // another end for each, which what is typed does not show: the one before stays until the screen is cleared
        yield* screen.enter(`clear; cloud-management endpoints ${line}; ends=$((ends + 1)); echo end $ends`)
        // with the prompt, which comes last
        const text = yield* screen.until(end)
        expect(text).toBe(yield* screen.show({ joined: true }))
        expect(text).toMatch(line === "get --help" ? /^EXAMPLES$/m : /^Request ID +req-1$/m)
      }
    })

    it.live("login takes a reply for the current value, and lines that are pasted, without echo", function* () {
      const { url } = yield* Listener.replying(() => organizations)
      const screen = yield* Screen.open({ columns: 80, env: { CLOUD_MANAGEMENT_BASE_URL: "http://127.0.0.1:1" } })
      yield* screen.enter("cloud-management login")
      yield* screen.reply(/Base URL of the service \[http:\/\/127.0.0.1:1\]/, "y")
      yield* screen.until(/Enter the value itself/)
      yield* screen.press("C-u")
      yield* screen.type([url, deployKey.id, deployKey.secret, ""].join("\r"))
      const text = yield* screen.until(/Saved in.*\n/)
      expect(text).not.toContain(deployKey.secret)
      expect(text).toMatch(/^Organization +Acme$/m)
      expect(JSON.parse(readFileSync(join(screen.folder, "config/cloud-management/profiles.json"), "utf8"))).toEqual({
        profiles: { default: { baseUrl: url, keyId: deployKey.id, keySecret: deployKey.secret } }
      })
    })

    it.live("--key-secret-file - asks without echo, also when the result goes elsewhere", function* () {
      const { url } = yield* Listener.replying(() => organizations)
      const { CLOUD_MANAGEMENT_KEY_SECRET: _, ...others } = Server.client(url)
      const screen = yield* Screen.open({ columns: 80, env: others })
      yield* screen.enter("cloud-management organizations list --key-secret-file - >result; echo done")
      yield* screen.reply(/Secret of the API key/, deployKey.secret)
      const text = yield* screen.until(/^done$/m)
      expect(text).not.toContain(deployKey.secret)
      expect(readFileSync(join(screen.folder, "result"), "utf8")).toMatch(/^ID +/)
    })

    // bash sets the terminal for itself when a command stops; dash takes it as it is left
    it.live.each(["bash --norc --noprofile", "dash"])(
      "in %s, a secret stays hidden when the command was stopped and goes on",
      function* (shell) {
        const { url } = yield* Listener.replying(() => organizations)
        const { CLOUD_MANAGEMENT_KEY_SECRET: _, ...others } = Server.client(url)
        const screen = yield* Screen.open({ columns: 80, env: others, shell: shell.split(" ") })
        const asked = "cloud-management organizations list --key-secret-file -"
        yield* screen.enter(`sh -c 'tty >terminal; echo $$ >process; exec ${asked}'`)
        yield* screen.until(/Secret of the API key/)
        const read = (file: string) => readFileSync(join(screen.folder, file), "utf8").trim()
        process.kill(Number(read("process")), "SIGTSTP")
        yield* screen.until(/Stopped/)
        yield* screen.enter("clear; fg")
        const isHidden = Effect.sync(() => execFileSync("stty", ["-aF", read("terminal")], { encoding: "utf8" })).pipe(
          Effect.map((settings) => settings.includes("-echo "))
        )
        yield* Effect.repeat(isHidden, { until: (hidden) => hidden, schedule: Schedule.spaced("50 millis") })
        yield* screen.enter(deployKey.secret)
        expect(yield* screen.until(/^ID +/m)).not.toContain(deployKey.secret)
      }
    )

    it.live("login asks before it replaces a profile by another key, and not with --yes", function* () {
      const { url } = yield* Listener.replying(() => organizations)
      const screen = yield* Screen.open({ columns: 110, files: { secret: deployKey.secret } })
      const login = (id: string) =>
        `clear; cloud-management login --base-url ${url} --key-id ${id} --key-secret-file secret`
      yield* screen.enter(login(deployKey.id))
      yield* screen.until(/Saved in/)
      yield* screen.enter(login(backupKey.id))
      yield* screen.reply(new RegExp(`Replace the profile default, the key ${deployKey.id} for ${url}`), "n")
      yield* screen.until(/cancelled: nothing was saved/)
      yield* screen.enter(`${login(backupKey.id)} --yes`)
      expect(yield* screen.until(/Saved in/)).not.toMatch(/Replace/)
    })

    it.live("a spinner shows how long a call has been waiting, goes away, and is not written to a file", function* () {
      const asked = Promise.withResolvers<ServerResponse>()
      const url = yield* Listener.serve((_, response) => asked.resolve(response))
      const screen = yield* Screen.open({ columns: 80, env: Server.client(url) })
      yield* screen.enter('cloud-management organizations list --timeout 1h; echo "exit code $?"')
      yield* screen.until(new RegExp(`[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] \\d+s +waiting for ${url}`))
      // it stays until it was seen, however late
      const response = yield* Effect.promise(() => asked.promise)
      response.setHeader("content-type", "application/json").end(organizations.body)
      const ended = yield* screen.until(/exit code 0/)
      expect(ended).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/)
      const silent = 'clear; cloud-management organizations list --timeout 2s 2>errors; echo "then exit code $?"'
      yield* screen.enter(silent)
      yield* screen.until(/^then exit code 7/m)
      expect(readFileSync(join(screen.folder, "errors"), "utf8")).toMatch(/^error: .*\n {7}.*\n$/)
    })

    it.live("help has colours, but not in a pipe, and not where a variable turns them off", function* () {
      const screen = yield* Screen.open({ columns: 80, rows: 60 })
      for (const [line, coloured, end] of [
        ["cloud-management --help", true, /USAGE[^]*^end 1$/m],
        ["cloud-management --help | cat", false, /USAGE[^]*^end 2$/m],
        ["NO_COLOR=1 cloud-management --help", false, /USAGE[^]*^end 3$/m],
        ["FORCE_COLOR=0 cloud-management --help", false, /USAGE[^]*^end 4$/m],
        ["CLICOLOR=0 cloud-management --help", false, /USAGE[^]*^end 5$/m]
      ] as const) {
        yield* screen.enter(`clear; ${line}; ends=$((ends + 1)); echo end $ends`)
        yield* screen.until(end)
        expect((yield* screen.show({ colours: true })).includes("\u001b[1mUSAGE")).toBe(coloured)
      }
    })
  })
)
