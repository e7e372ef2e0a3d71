import { Child, describe, exits, expect, isLinux, it, layer } from "../../../checks/fixtures/index.ts"
import { Effect, Fiber } from "effect"
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { Fixtures } from "@cloud-management/testing"
import * as Invocation from "./Invocation.ts"
import * as Machine from "./Machine.ts"
import * as Server from "./Server.ts"

const { acme, backupKey, deployKey } = Fixtures
const json = ["--format", "json"]

layer(Server.Served.layer, { excludeTestServices: true })("profiles", (it) => {
  const machine = Effect.gen(function* () {
    const { url } = yield* Server.Served
    const folder = yield* Child.folder()
    const file = join(folder, "cloud-management", "profiles.json")
    const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
      Invocation.run(args, { XDG_CONFIG_HOME: folder, ...env })
    const login = (name: string, key = deployKey, secret = key.secret) => {
      writeFileSync(join(folder, "secret"), `${secret}\n`)
      const flags = ["--base-url", url, "--key-id", key.id, "--key-secret-file", join(folder, "secret")]
      return run(["login", "--profile", name, ...flags])
    }
    return { file, folder, login, run, url }
  })

  it.effect("login verifies a key, and keeps it where only its owner can read it", function* () {
    const { file, login, run, url } = yield* machine
    const ended = yield* login("default")
    expect(ended).toMatchObject({ code: 0, stderr: "" })
    expect(ended.stdout).toMatch(
      new RegExp(
        `^Signed in to +${url}\nOrganization +Acme\nOrganization ID +${acme}\nKey ID .*\nProfile +default\nSaved in +${file} \\(mode 600\\)\n`
      )
    )
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700)
    expect(yield* run(["organizations", "list", ...json])).toMatchObject({ code: 0, stderr: "" })
  })

  it.effect("login keeps nothing of a key that is refused", function* () {
    const { login, run } = yield* machine
    expect(yield* login("default", deployKey, Child.wrongSecret)).toMatchObject({ code: 4, stdout: "" })
    const listed = yield* run(["profiles", "list"])
    expect(listed.stdout).toBe("There are no profiles. `cloud-management login` creates one.\n")
  })

  it.effect("login takes variables where it cannot ask, and warns that they stay in force", function* () {
    const { run, url } = yield* machine
    const ended = yield* run(["login"], Server.client(url))
    expect(ended.code).toBe(0)
    expect(ended.stderr.match(/^warning: CLOUD_MANAGEMENT_\w+ is set and overrides every profile/gm)).toHaveLength(3)
    const kept = yield* run(["login"])
    expect(kept.stderr).toMatch(/^error: the secret of the API key is missing: /)
    expect(kept.code).toBe(2)
    expect(yield* run(["login", "--profile", "other"])).toMatchObject(
      exits(2, /^error: the base URL is missing: set CLOUD_MANAGEMENT_BASE_URL, or pass --base-url URL\n/)
    )
  })

  it.effect("one is used by commands that name none, until another is or it is removed", function* () {
    const { login, run, url } = yield* machine
    yield* login("default")
    yield* login("backup", backupKey)
    const keyId = Effect.map(run(["whoami", ...json]), ({ stdout }) => Object(JSON.parse(stdout))["keyId"])
    expect(yield* run(["profiles", "use", "backup"])).toMatchObject({ code: 0, stderr: "" })
    expect(yield* keyId).toBe(backupKey.id)
    expect(yield* run(["profiles", "show"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^Name +backup\nBase URL +${url}\nKey ID +${backupKey.id}\n`))
    })
    expect(yield* run(["profiles", "use", "bakup"])).toMatchObject(exits(2, "Did you mean backup?"))
    expect(yield* run(["profiles", "remove", "backup"])).toMatchObject({ code: 0 })
    expect(yield* keyId).toBe(deployKey.id)
  })

  it.effect("a flag wins over a variable, and a variable over the profile, as whoami shows", function* () {
    const { login, run, url } = yield* machine
    yield* login("default")
    yield* login("backup", backupKey)
    const sources = (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) =>
      Effect.map(run(["whoami", ...args, ...json], env), ({ stderr, stdout }) => ({ stderr, ...JSON.parse(stdout) }))
    expect(yield* sources([])).toEqual({
      stderr: "",
      organization: { id: acme, name: "Acme" },
      keyId: deployKey.id,
      baseUrl: url,
      roundTripMilliseconds: expect.any(Number),
      requestId: expect.any(String),
      sources: { baseUrl: "profile default", keyId: "profile default", keySecret: "profile default" }
    })
    const backup = {
      keyId: backupKey.id,
      sources: { baseUrl: "profile backup", keyId: "profile backup", keySecret: "profile backup" }
    }
    expect(yield* sources(["--profile", "backup"])).toMatchObject(backup)
    expect(yield* sources([], { CLOUD_MANAGEMENT_PROFILE: "backup" })).toMatchObject(backup)
    const variables = { CLOUD_MANAGEMENT_KEY_ID: deployKey.id, CLOUD_MANAGEMENT_KEY_SECRET: deployKey.secret }
    expect(yield* sources(["--profile", "backup"], variables)).toMatchObject({
      keyId: deployKey.id,
      sources: { baseUrl: "profile backup", keyId: "CLOUD_MANAGEMENT_KEY_ID", keySecret: "CLOUD_MANAGEMENT_KEY_SECRET" }
    })
    const nowhere = { ...variables, CLOUD_MANAGEMENT_BASE_URL: "http://127.0.0.1:1" }
    expect(yield* sources(["--base-url", url], nowhere)).toMatchObject({ sources: { baseUrl: "--base-url" } })
    const shown = yield* run(["whoami"])
    expect(shown.stdout).toMatch(
      /^Organization +Acme\n[^]*Key secret +not shown \(profile default\)\nRound trip +\d+ms\n/
    )
  })

  it.effect("are listed without their secrets, and removed by logout", function* () {
    const { file, login, run, url } = yield* machine
    yield* login("default")
    yield* login("backup", backupKey)
    const listed = yield* run(["profiles", "list", "--profile", "backup", ...json])
    expect(JSON.parse(listed.stdout)).toEqual([
      { name: "default", selected: false, baseUrl: url, keyId: deployKey.id },
      { name: "backup", selected: true, baseUrl: url, keyId: backupKey.id }
    ])
    expect(yield* run(["logout", "--profile", "backup"])).toEqual({
      code: 0,
      stdout: "Removed the profile backup. The key itself still works.\n",
      stderr: ""
    })
    expect(readFileSync(file, "utf8")).not.toContain(backupKey.secret)
    const again = yield* run(["logout", "--profile", "backup"])
    expect(again).toMatchObject({ code: 2, stdout: "" })
    expect(again.stderr).toMatch(/^error: there is no profile backup\n/)
    const mistyped = yield* run(["whoami", "--profile", "defualt"])
    expect(mistyped.stderr).toMatch(/^error: there is no profile defualt\n +Did you mean default\?\n/)
  })

  it.effect("that were in use leave their place to the default, and logout says so", function* () {
    const { login, run } = yield* machine
    yield* login("default")
    yield* login("backup", backupKey)
    yield* run(["profiles", "use", "backup"])
    expect((yield* run(["logout"])).stdout).toBe(
      "Removed the profile backup. The key itself still works.\nCommands now use the profile default.\n"
    )
    expect((yield* run(["logout"])).stdout).toBe("Removed the profile default. The key itself still works.\n")
  })

  it.effect("login makes and changes the file where a link leads, and the link stays", function* () {
    const { file, folder, login } = yield* machine
    mkdirSync(join(file, ".."))
    symlinkSync("../second", file)
    symlinkSync("kept.json", join(folder, "second"))
    for (const name of ["a", "b"]) expect(yield* login(name)).toMatchObject({ code: 0, stderr: "" })
    expect(Object.keys(JSON.parse(readFileSync(join(folder, "kept.json"), "utf8")).profiles)).toEqual(["a", "b"])
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(readdirSync(folder).toSorted()).toEqual(["cloud-management", "kept.json", "second", "secret"])
  })

  it.effect("a file that is damaged is named, and nothing of it is quoted", function* () {
    const { file, login, run } = yield* machine
    mkdirSync(join(file, ".."))
    writeFileSync(file, `{"profiles":{"default":{"keySecret":"${deployKey.secret}"}}}`)
    const damaged = yield* run(["organizations", "list"])
    expect(damaged.stderr).toBe(
      `error: ${file} is not a valid file of profiles\n       Remove it, and run \`cloud-management login\` again.\n`
    )
    expect(damaged).toMatchObject({ code: 2, stdout: "" })
    expect(yield* login("default")).toMatchObject({ code: 2 })
  })
})

describe("the file of the profiles", () => {
  const machine = Effect.gen(function* () {
    const home = yield* Child.folder()
    const folder = join(home, "cloud-management")
    const file = join(folder, "profiles.json")
    const profile = { baseUrl: "http://127.0.0.1:1", keyId: deployKey.id, keySecret: deployKey.secret }
    mkdirSync(folder)
    writeFileSync(file, JSON.stringify({ profiles: { a: profile, b: profile, c: profile } }))
    const names = () => Object.keys(JSON.parse(readFileSync(file, "utf8")).profiles)
    const logout = (name: string) => Invocation.run(["logout", "--profile", name], { XDG_CONFIG_HOME: home })
    return { file, folder, home, logout, names }
  })

  it.live("loses no change of commands that run at once", function* () {
    const { logout, names } = yield* machine
    const ended = yield* Effect.forEach(["a", "b", "c"], logout, { concurrency: "unbounded" })
    expect(ended).toMatchObject([{ code: 0 }, { code: 0 }, { code: 0 }])
    expect(names()).toEqual([])
  })

  it.live("is locked by a command up to its end, also if it is killed", function* () {
    const { folder, logout, names } = yield* machine
    const holding = "const d = new (require('node:sqlite').DatabaseSync)(process.argv[1]); d.exec('BEGIN EXCLUSIVE')"
    const holder = yield* Child.script([
      "-e",
      `${holding}; console.log('locked'); setInterval(() => d, 1e6)`,
      `${folder}/profiles.lock`
    ])
    yield* holder.until("stdout", /locked/)
    const waiting = yield* Effect.forkChild(logout("a"))
    yield* Effect.promise(() => setImmediate())
    expect(names()).toEqual(["a", "b", "c"])
    holder.process.kill("SIGKILL")
    expect(yield* Fiber.join(waiting)).toMatchObject({ code: 0, stderr: "" })
    expect(names()).toEqual(["b", "c"])
    expect(readdirSync(folder)).toEqual(["profiles.json", "profiles.lock"])
  })

  it.live("is not read by a command that has all its settings from elsewhere", function* () {
    const { file, home } = yield* machine
    const settings = { XDG_CONFIG_HOME: home, ...Server.client("http://127.0.0.1:1") }
    const list = (...args: ReadonlyArray<string>) =>
      Invocation.run(["organizations", "list", "--timeout", "1s", ...args], settings)
    for (const damage of [() => writeFileSync(file, '{"version":2}'), () => (rmSync(file), mkdirSync(file))]) {
      damage()
      expect(yield* list()).toMatchObject({ code: 7 })
      expect(yield* list("--profile", "a")).toMatchObject({ code: 2 })
    }
  })

  it.live("has keys, of which each is sent only to its own address, unless flags name both", function* () {
    const { home } = yield* machine
    const url = "http://127.0.0.1:2"
    const variable = { CLOUD_MANAGEMENT_BASE_URL: url }
    const profile = ["--profile", "a"]
    for (const [code, args, env] of [
      [2, profile, variable],
      [2, [], { ...variable, CLOUD_MANAGEMENT_PROFILE: "a" }],
      [2, ["--base-url", url], { CLOUD_MANAGEMENT_PROFILE: "a" }],
      [2, profile, { ...variable, CLOUD_MANAGEMENT_KEY_ID: deployKey.id }],
      [7, [...profile, "--base-url", url], {}],
      [7, profile, { CLOUD_MANAGEMENT_BASE_URL: "HTTP://127.0.0.1:1/" }],
      [7, profile, { ...variable, CLOUD_MANAGEMENT_KEY_SECRET: deployKey.secret }]
    ] as const) {
      const ended = yield* Invocation.run(["whoami", "--timeout", "1s", ...args], { XDG_CONFIG_HOME: home, ...env })
      expect({ args, env, ...ended }).toMatchObject({ code })
      if (code === 2)
        expect(ended.stderr).toContain("the key of the profile a is for http://127.0.0.1:1, and is not sent")
    }
  })

  it.live.runIf(isLinux)("stays as it is, without remains, when the disk is full", function* () {
    const { file, folder, home, names } = yield* machine
    const args = ["logout", "--profile", "a"]
    expect(yield* Child.run(args, { XDG_CONFIG_HOME: home, ...Machine.fileLimit(1) })).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: ${file} cannot be written (EFBIG)\n       Check its folder, and that the disk has free space.\n`
    })
    expect(names()).toEqual(["a", "b", "c"])
    expect(readdirSync(folder)).toEqual(["profiles.json", "profiles.lock"])
  })
})

describe("without a home", () => {
  it.live.each([{}, { HOME: "" }, { HOME: "relative" }, { HOME: "/dev/null" }])(
    "a command runs, with %j",
    function* (home) {
      const env = { ...Machine.homeless, XDG_CONFIG_HOME: "relative", XDG_CACHE_HOME: "", ...home }
      expect(yield* Child.run(["profiles", "list", ...json], env)).toEqual({ code: 0, stdout: "[]\n", stderr: "" })
      const list = yield* Invocation.run(["organizations", "list"], env)
      expect(list).toMatchObject(exits(2, /^error: the base URL is missing: .*\n +the ID of .*\n +the secret of/))
      const login = yield* Child.run(["login"], { ...env, ...Server.client("http://127.0.0.1:1") })
      expect(login.code).toBe(home.HOME === "/dev/null" ? 7 : 2)
      if (login.code === 2) expect(login.stderr).toMatch(/^error: there is no folder for profiles/m)
    }
  )

  it.live("a service starts", function* () {
    const { until } = yield* Child.start(["serve", "--port", "0"], Machine.homeless)
    yield* until("stdout", /Listening on/)
  })
})
