import { Child, describe, exits, expect, it } from "../../../checks/fixtures/index.ts"
import { Effect } from "effect"
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { vi } from "vitest"
import { Fixtures } from "@cloud-management/testing"
import * as Compiled from "../src/process/compiled.ts"

describe("the folder for compiled modules", () => {
  it.effect("is one that only its user can enter, in the user's cache", function* () {
    const home = yield* Child.folder()
    const cache = yield* Child.folder()
    for (const none of [undefined, "", "node_modules/.cache"]) {
      expect(Compiled.folder({ HOME: home, XDG_CACHE_HOME: none })).toBe(`${home}/.cache/cloud-management`)
    }
    const folder = `${cache}/cloud-management`
    expect(Compiled.folder({ HOME: home, XDG_CACHE_HOME: cache })).toBe(folder)
    for (const path of [folder, `${home}/.cache`, `${home}/.cache/cloud-management`]) {
      expect(statSync(path).mode & 0o777).toBe(0o700)
    }
  })

  it.effect.each<[who: string, mode: number]>([
    ["the group", 0o770],
    ["anyone", 0o707]
  ])("is none where %s can write", function* ([, mode]) {
    const cache = yield* Child.folder()
    const folder = `${cache}/cloud-management`
    mkdirSync(folder)
    for (const path of [cache, folder]) {
      chmodSync(path, mode)
      expect(Compiled.folder({ XDG_CACHE_HOME: cache })).toBeUndefined()
      chmodSync(path, 0o700)
    }
    expect(Compiled.folder({ XDG_CACHE_HOME: cache })).toBe(folder)
  })

  it.effect("is none in a home of another user, in which nothing is made", function* () {
    const home = yield* Child.folder()
    const { uid } = statSync(home)
    const user = vi.spyOn(process, "getuid").mockReturnValue(uid + 1)
    expect(Compiled.folder({ HOME: home })).toBeUndefined()
    expect(Compiled.folder({ XDG_CACHE_HOME: home })).toBeUndefined()
    user.mockRestore()
    expect(readdirSync(home)).toEqual([])
  })

  it.live(
    "is none below a home that does not exist, which is not made: neither for a cache nor for profiles",
    function* () {
      const home = `${yield* Child.folder()}/missing`
      expect(Compiled.folder({ HOME: home })).toBeUndefined()
      const env = { HOME: home, XDG_CACHE_HOME: "", XDG_CONFIG_HOME: "" }
      const key = ["--base-url", "http://127.0.0.1:9", "--key-id", Fixtures.deployKey.id, "--key-secret-file", "-"]
      expect(yield* Child.run(["login", ...key], env, "x")).toMatchObject(exits(2, "there is no folder for profiles"))
      expect(yield* Child.run(["profiles", "list"], env)).toMatchObject({ code: 0 })
      expect(existsSync(home)).toBe(false)
    }
  )

  it.each(["", "relative"])("is not below a home that is not absolute: %j", (home) => {
    expect(Compiled.folder({ HOME: home })).toBe(Compiled.folder({}))
  })
})

describe("what the command compiled", () => {
  const keeping = Effect.fnUntraced(function* (env: (folder: string) => Readonly<Record<string, string>>) {
    const folder = yield* Child.folder()
    const all = { TMPDIR: folder, XDG_CACHE_HOME: folder, ...env(folder) }
    expect(yield* Child.run(["--help"], all)).toMatchObject({ code: 0, stderr: "" })
    return folder
  })

  it.live("is kept in that folder, or where Node.js was told to keep it", function* () {
    const folder = yield* keeping(() => ({}))
    expect(readdirSync(folder)).toEqual(["cloud-management"])
    expect(readdirSync(`${folder}/cloud-management`)).toHaveLength(1)
    const told = yield* keeping((folder) => ({ NODE_COMPILE_CACHE: `${folder}/told` }))
    expect(readdirSync(told)).toEqual(["told"])
  })

  it.live("is none in a folder that takes none, in which Node.js would try for ever", function* () {
    expect(yield* Child.run(["--known", "key"], { XDG_CACHE_HOME: "/proc" })).toMatchObject({ code: 0 })
  })

  it.live("is kept nowhere if Node.js was told so, or without such a folder", function* () {
    for (const env of [{ NODE_DISABLE_COMPILE_CACHE: "1" }, { XDG_CACHE_HOME: "/dev/null" }]) {
      expect(readdirSync(yield* keeping(() => env))).toEqual([])
    }
  })
})
