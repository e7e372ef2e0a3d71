import { describe, expect, it, onTestFinished } from "@effect/vitest"
import fs, {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { dirname, join } from "node:path"
import * as Digest from "../src/read/Digest.ts"
import * as Output from "../src/write/Output.ts"
import { make } from "./document.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"

const document = (...tags: ReadonlyArray<string>) =>
  make({
    operations: Object.fromEntries(tags.map((tag) => [`GET /${tag}`, { operationId: `list${tag}`, tags: [tag] }]))
  })

/** All files below a folder, also hidden ones, and empty folders. */
const all = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(folder.length + 1), entry.isFile() ? readFileSync(path, "utf8") : "a folder"]
    })
  )

const writeAll = (folder: string, contents: Readonly<Record<string, string>>) => {
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

const run = (folder: string, out: string, ...tags: ReadonlyArray<string>) => {
  writeFileSync(join(folder, "document.json"), JSON.stringify(document(...tags)))
  return Generated.run(join(folder, "document.json"), "--out", join(folder, out))
}

/** Generates the groups into a folder that has the names of what is there. */
const generate = (folder: string, ...tags: ReadonlyArray<string>) => {
  const opened = Output.open(folder, false)
  return [opened, Generated.of(document(...tags), { locked: opened.manifest })] as const
}

const manifest = "out/manifest.json"

describe("only what the last run generated is replaced and removed; for all else nothing is written", () => {
  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ["files and no manifest", { "out/a.txt": "mine" }, "has files but no manifest.json"],
    ["only a dot file", { "out/.env": "mine" }, "has files but no manifest.json"],
    ["a folder with nothing in it", { "out/.git/objects/pack/keep": "mine" }, "has files but no manifest.json"],
    ["another manifest", { [manifest]: `{"manifest_version":3}`, "out/a.js": "mine" }, "not what this command wrote"],
    ["no JSON", { [manifest]: "<<<<<<< HEAD", "out/index.ts": "mine" }, "not what this command wrote"],
    ["a manifest that is a folder", { [`${manifest}/a`]: "mine" }, "has files but no manifest.json"],
    ["a file", { out: "mine" }, "not a folder"],
    ["a file above", { out: "mine", __out: "out/api" }, "ENOTDIR"],
    ["the document itself", { __out: "document.json" }, "not a folder"]
  ])("%s", async (_, { __out: out = "out", ...contents }, problem) => {
    const folder = Folder.ofTest()
    writeAll(folder, contents)
    writeFileSync(join(folder, "document.json"), JSON.stringify(document("A")))
    const before = all(folder)
    expect(await run(folder, out, "A")).toEqual({ code: 2, out: "", error: expect.stringContaining(problem) })
    expect(all(folder)).toEqual(before)
  })

  it("a link to nothing", async () => {
    const folder = Folder.ofTest()
    symlinkSync(join(folder, "nothing"), join(folder, "out"))
    expect(await run(folder, "out", "A")).toMatchObject({ code: 2, error: expect.stringContaining("not a folder") })
    expect(existsSync(join(folder, "nothing"))).toBe(false)
  })

  const edit = (folder: string, path: string) => writeFileSync(join(folder, path), "mine")
  const fresh = (folder: string, path: string) => {
    rmSync(join(folder, path), { force: true })
    writeAll(folder, { [`${path}/index.ts`]: "mine" })
  }
  const link = (folder: string, path: string) => {
    rmSync(join(folder, path))
    writeFileSync(join(folder, "mine.ts"), "mine")
    symlinkSync(join(folder, "mine.ts"), join(folder, path))
  }
  it.each<readonly [string, string, (folder: string, path: string) => void]>([
    ["a generated file that was edited", "index.ts", edit],
    ["one that no operation is in any more", "operations/b.ts", edit],
    ["a folder in its place", "index.ts", fresh],
    ["a link in its place", "operations/b.ts", link],
    ["a file of the name of a new group", "operations/c.ts", edit],
    ["a folder of that name", "operations/c.ts", fresh]
  ])("in a generated folder: %s", async (_, path, change) => {
    const folder = Folder.ofTest()
    await run(folder, "out", "A", "B")
    change(folder, join("out", path))
    writeFileSync(join(folder, "document.json"), JSON.stringify(document("A", "C")))
    const before = all(folder)
    expect(await run(folder, "out", "A", "C")).toMatchObject({
      code: 2,
      error: expect.stringContaining(`${path} was not generated`)
    })
    expect(all(folder)).toEqual(before)
    // moved away, as the message says
    rmSync(join(folder, "out", path), { recursive: true })
    expect(await run(folder, "out", "A", "C")).toMatchObject({ code: 0 })
  })

  it("a file where a folder must be", async () => {
    const folder = Folder.ofTest()
    await run(folder, "out", "A")
    rmSync(join(folder, "out/operations"), { recursive: true })
    writeFileSync(join(folder, "out/operations"), "mine")
    const before = all(join(folder, "out"))
    expect(await run(folder, "out", "A", "B")).toMatchObject({ code: 2 })
    expect(all(join(folder, "out"))).toEqual(before)
  })

  it("a manifest does not make a file of another folder ours", async () => {
    const folder = Folder.ofTest()
    await run(folder, "out", "A")
    writeFileSync(join(folder, "mine.ts"), "mine")
    const text = readFileSync(join(folder, manifest), "utf8")
    const listed = `"files": { "../mine.ts": "${Digest.digest("mine")}", `
    writeFileSync(join(folder, manifest), text.replace('"files": {', listed))
    await run(folder, "out", "B")
    expect(readFileSync(join(folder, "mine.ts"), "utf8")).toBe("mine")
  })
})

describe("a generated folder", () => {
  it("keeps what else is in it, and has nothing left of a group that is gone", async () => {
    const folder = Folder.ofTest()
    await run(folder, "out", "A", "B")
    const others = { "README.md": "mine", ".gitattributes": "mine", "x.ts/y.ts": "mine", "operations/mine.md": "mine" }
    writeAll(join(folder, "out"), others)
    expect(await run(folder, "out", "A")).toMatchObject({ code: 0 })
    expect(all(join(folder, "out"))).toMatchObject(others)
    expect(existsSync(join(folder, "out/operations/b.ts"))).toBe(false)
  })

  it("can have the name of a file", async () => {
    const folder = Folder.ofTest()
    for (const tag of ["A", "B"]) expect(await run(folder, "x.ts", tag)).toMatchObject({ code: 0 })
    expect(existsSync(join(folder, "x.ts/operations/b.ts"))).toBe(true)
  })

  it("stays the same folder: a mount point, or one in a parent that is read-only", async () => {
    const folder = Folder.ofTest()
    mkdirSync(join(folder, "out"))
    const { ino } = statSync(join(folder, "out"))
    for (const tag of ["A", "B"]) await run(folder, "out", tag)
    expect(statSync(join(folder, "out")).ino).toBe(ino)
  })

  it("can be a symbolic link: its target is written", async () => {
    const folder = Folder.ofTest()
    mkdirSync(join(folder, "target"))
    symlinkSync(join(folder, "target"), join(folder, "out"))
    for (const tag of ["A", "B"]) expect(await run(folder, "out", tag)).toMatchObject({ code: 0 })
    expect(existsSync(join(folder, "target/operations/b.ts"))).toBe(true)
  })

  it("can have a mount point of another file system in it", async () => {
    const folder = Folder.ofTest()
    const before = { renameSync }
    const isMounted = (path: string) => path.includes(join("out", "operations"))
    Object.assign(fs, {
      renameSync: (from: string, to: string) => {
        if (isMounted(from) !== isMounted(to)) throw Object.assign(new Error("cross-device link"), { code: "EXDEV" })
        before.renameSync(from, to)
      }
    })
    syncBuiltinESMExports()
    onTestFinished(() => {
      Object.assign(fs, before)
      syncBuiltinESMExports()
    })
    for (const tag of ["A", "B"]) expect(await run(folder, "out", tag)).toMatchObject({ code: 0, error: "" })
    expect(Object.keys(all(join(folder, "out"))).toSorted()).toEqual([
      "api.ts",
      "index.ts",
      "manifest.json",
      "operations",
      "operations/b.ts",
      "refusals.ts",
      "requests.ts",
      "responses.ts"
    ])
  })

  it("is as it was if a file cannot be written", () => {
    const folder = Folder.ofTest()
    Output.write(...generate(folder, "A"))
    const before = all(folder)
    const [opened, { files, manifest }] = generate(folder, "B")
    expect(() => Output.write(opened, { files: new Map([...files, ["\0", "x"]]), manifest })).toThrow("null bytes")
    expect(all(folder)).toEqual(before)
  })

  it("keeps its names when its code is moved away, as it must be where its manifest lists none of it", async () => {
    const folder = Folder.ofTest()
    await run(folder, "out", "A")
    const text = readFileSync(join(folder, manifest), "utf8")
    const { files, ...rest } = JSON.parse(text.replace('"name": "list"', '"name": "kept"'))
    writeFileSync(join(folder, manifest), JSON.stringify({ ...rest, files: {} }))
    expect(await run(folder, "out", "A")).toMatchObject({ code: 2 })
    for (const name of Object.keys(files)) rmSync(join(folder, "out", name))
    expect(await run(folder, "out", "A")).toMatchObject({ code: 0 })
    expect(readFileSync(join(folder, "out/operations/a.ts"), "utf8")).toContain('name: "kept"')
  })
})

/**
 * Runs a program that changes files up to a step: before a change, or when a text is half written. No change comes after that,
 * as none does of a process that is killed. Returns whether it came that far.
 */
const kill = (step: number, program: () => void) => {
  let left = step
  const before = { mkdirSync, renameSync, rmSync, rmdirSync, writeFileSync }
  const stop = (isNow = left <= 0) => {
    left--
    if (isNow) throw new Error("killed")
  }
  for (const name of ["mkdirSync", "renameSync", "rmSync", "rmdirSync"] as const) {
    const change: (...args: ReadonlyArray<never>) => unknown = before[name]
    Object.assign(fs, { [name]: (...args: ReadonlyArray<never>) => (stop(), change(...args)) })
  }
  Object.assign(fs, {
    writeFileSync: (path: string, text: string) => {
      stop()
      before.writeFileSync(path, left === 0 ? text.slice(0, text.length / 2) : text)
      stop()
    }
  })
  syncBuiltinESMExports()
  try {
    program()
  } catch (error) {
    if (left >= 0) throw error
  } finally {
    Object.assign(fs, before)
    syncBuiltinESMExports()
  }
  return left < 0
}

describe("a run that is killed", () => {
  it.each<readonly [string, ReadonlyArray<string>]>([
    ["the first run", []],
    ["a later run", ["A", "B"]]
  ])("at each step of %s: the next one, of the same document or of another, is as if it had not been", (_, first) => {
    const folder = Folder.ofTest()
    const start = join(folder, "start")
    const expected = (name: string, ...runs: ReadonlyArray<ReadonlyArray<string>>) => {
      for (const tags of runs) Output.write(...generate(join(folder, name), ...tags))
      return all(join(folder, name))
    }
    if (first.length > 0) expected("start", first)
    const same = expected("same", ...(first.length > 0 ? [first] : []), ["A", "C"])
    const other = expected("other", ...(first.length > 0 ? [first] : []), ["D"])
    const generated = Generated.of(document("A", "C"), { locked: Output.open(start, true).manifest })
    let step = 0
    let isKilled: boolean
    do {
      const out = join(folder, `out-${step}`)
      if (first.length > 0) cpSync(start, out, { recursive: true })
      isKilled = kill(step, () => Output.write(Output.open(out, false), generated))
      if (existsSync(out)) cpSync(out, `${out}-other`, { recursive: true })
      const seen = existsSync(out) ? all(out) : undefined
      Output.open(out, true)
      expect(existsSync(out) ? all(out) : undefined).toEqual(seen)
      Output.write(...generate(out, "A", "C"))
      expect({ step, files: all(out) }).toEqual({ step, files: same })
      Output.write(...generate(`${out}-other`, "D"))
      expect({ step, files: all(`${out}-other`) }).toEqual({ step, files: other })
      step++
    } while (isKilled)
    expect(step).toBeGreaterThan(15)
  })
})
