import { Child, describe, expect, it, Program } from "../../../checks/fixtures/index.ts"
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Help from "../src/help/help.ts"
import { allHelps } from "../src/Cli.ts"
import * as Manual from "../src/help/manual.ts"
import * as Invocation from "./Invocation.ts"

describe("the help of each command", () => {
  it.effect("has examples, which use its own flags and arguments", function* () {
    const docs = yield* allHelps
    expect(docs.length).toBeGreaterThan(30)
    const problems: Array<string> = []
    for (const { args = [], commandPath = [], examples = [], flags, globalFlags = [], subcommands } of docs) {
      const path = commandPath.join(" ")
      if (examples.length === 0) problems.push(`${path} has no example`)
      for (const { command } of examples) {
        if (!`${command} `.startsWith(`${path} `)) problems.push(`${command} is not an example of ${path}`)
        // a command above others shows one of those
        if (subcommands !== undefined) continue
        const all = [...flags, ...globalFlags]
        const words = command
          .slice(path.length)
          .trim()
          .split(" ")
          .filter((word) => !/^[<>]/.test(word) && word !== "")
        const flagOf = (word = "") => all.find(({ name }) => `--${name}` === word)
        const isUnknown = (word: string) => word.startsWith("--") && flagOf(word) === undefined
        problems.push(...words.filter(isUnknown).map((word) => `${path} has no ${word}`))
        const isArgument = (word: string, i: number) =>
          !word.startsWith("--") && (flagOf(words[i - 1])?.type ?? "boolean") === "boolean"
        const { length: count } = words.filter(isArgument)
        const least = args.filter(({ required }) => required).length
        const most = args.some(({ variadic }) => variadic) ? Infinity : args.length
        if (count < least || count > most) problems.push(`${command} has ${count} arguments`)
      }
    }
    expect(problems).toEqual([])
  })

  it.effect("has --yes if the command asks first", function* () {
    const commands = (yield* allHelps).filter(({ subcommands }) => subcommands === undefined)
    const asking = commands.filter(({ flags }) => flags.some(({ name }) => name === "yes"))
    const names = (docs: typeof commands) => docs.map(({ commandPath = [] }) => commandPath.slice(1).join(" "))
    expect(names(asking)).toEqual(
      names(commands).filter(
        (name) => name.endsWith(" delete") || ["login", "admin audit prune", "request"].includes(name)
      )
    )
  })

  it.effect("fits 60, 80 and 120 columns, and wraps at words", function* () {
    for (const doc of yield* allHelps) {
      const words = (text: string) => text.split(/[\s\\]+/)
      const unwrapped = words(Help.render(doc, { colour: false, width: 80 }))
      for (const columns of [40, 60, 80, 120]) {
        const text = Help.render(doc, { colour: false, width: columns })
        // below 60 columns, an example can have a word that is too long
        const most = columns < 60 ? Infinity : Math.min(80, columns)
        expect(text.split("\n").filter((line) => line.length > most)).toEqual([])
        expect(words(text)).toEqual(unwrapped)
      }
    }
  })

  it.effect("has examples that a shell takes as they are, however narrow the terminal is", function* () {
    for (const doc of yield* allHelps) {
      const text = Help.render(doc, { colour: false, width: 0 }).replace(/ \\\n +/g, " ")
      for (const { command } of doc.examples ?? []) expect(text.split(/\n */)).toContain(command)
    }
  })

  it.live("is shown by the command help as well", function* () {
    for (const path of [[], ["keys"], ["admin", "keys", "create"]]) {
      const help = yield* Invocation.run(["help", ...path])
      expect(help).toEqual(yield* Invocation.run([...path, "--help"]))
      expect(help).toMatchObject({ code: 0, stderr: "" })
    }
  })
})

describe("the manual page", () => {
  it.live("is installed with the command by npm", function* () {
    const { bin, man, name, publishConfig, version } = JSON.parse(readFileSync("packages/cli/package.json", "utf8"))
    const folder = yield* Child.folder({
      "package.json": JSON.stringify({ name, version, man, bin: publishConfig.bin ?? bin })
    })
    mkdirSync(`${folder}/dist`)
    writeFileSync(`${folder}/dist/main.js`, "#!/usr/bin/env node\n")
    writeFileSync(`${folder}/dist/cloud-management.1`, yield* Manual.page)
    const npm = (...args: ReadonlyArray<string>) =>
      execFileSync("npm", args, { cwd: folder, stdio: "pipe", encoding: "utf8" })
    const tarball = npm("pack", "--silent", "--ignore-scripts").trim()
    npm("install", "--global", "--offline", "--prefix", `${folder}/installed`, `${folder}/${tarball}`)
    expect(existsSync(`${folder}/installed/share/man/man1/cloud-management.1`)).toBe(true)
  })

  Program.suite(["man"], (path) =>
    it.live("has each command and flag, and man accepts it without a warning", function* () {
      const folder = yield* Child.folder()
      const file = join(folder, "cloud-management.1")
      writeFileSync(file, yield* Manual.page)
      const man = spawnSync(path("man"), ["--warnings", "--local-file", file], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], LANG: "C.UTF-8", MANWIDTH: "120", MAN_KEEP_FORMATTING: "", PAGER: "cat" }
      })
      expect(man.stderr).toBe("")
      for (const { flags, globalFlags = [], subcommands, usage } of yield* allHelps) {
        if (subcommands === undefined) expect(man.stdout).toContain(usage)
        for (const { name } of [...flags, ...globalFlags]) expect(man.stdout).toContain(`--${name}`)
      }
      for (const [code, meaning] of Manual.exits) expect(man.stdout).toMatch(new RegExp(`^ +${code} +${meaning}$`, "m"))
      // a hyphen at the end of a line breaks a word
      expect(man.stdout).not.toContain("\u2010\n")
    })
  )
})
