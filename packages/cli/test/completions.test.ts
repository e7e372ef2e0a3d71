import { Child, describe, expect, it, Program } from "../../../checks/fixtures/index.ts"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Completions from "../src/help/completions.ts"
import { allHelps } from "../src/Cli.ts"
import * as Generated from "../../generator/test/Generated.ts"
import { shop } from "../../generator/test/shop.ts"
import * as Invocation from "./Invocation.ts"
import * as Screen from "./Screen.ts"

interface Case {
  readonly line: string
  readonly offers: ReadonlyArray<string>
  readonly offersNot?: ReadonlyArray<string>
}

const cases: ReadonlyArray<Case> = [
  { line: "", offers: ["login", "organizations", "admin", "help"], offersNot: ["delete", "seed.json"] },
  { line: "keys ", offers: ["delete"], offersNot: ["create", "seed.json"] },
  { line: "admin keys ", offers: ["create", "delete", "disable"], offersNot: ["seed.json"] },
  { line: "organizations list --", offers: ["--format", "--base-url", "--timeout", "--verbose", "--help"] },
  { line: "keys delete --", offers: ["--yes", "--profile"], offersNot: ["--no-yes", "--no-verbose", "--no-help"] },
  { line: "endpoints get --", offers: ["--wait", "--any-status"], offersNot: ["--no-wait", "--no-any-status"] },
  { line: "serve --", offers: ["--docs", "--no-docs", "--log-format"], offersNot: ["--base-url"] },
  { line: "organizations list --format ", offers: ["table", "json"], offersNot: ["seed.json"] },
  { line: "serve --log-format ", offers: ["pretty", "json"], offersNot: ["seed.json"] },
  { line: "completions ", offers: ["bash", "zsh", "fish"], offersNot: ["seed.json"] },
  { line: "endpoints get --status ", offers: ["Ready", "PendingAcceptance"], offersNot: ["seed.json"] },
  { line: "admin endpoints create --type ", offers: ["VPC_RESOURCE"], offersNot: ["seed.json"] },
  { line: "serve --seed see", offers: ["seed.json"] },
  { line: "organizations list --key-secret-file see", offers: ["seed.json"] },
  { line: "admin seed see", offers: ["seed.json"] },
  { line: "admin keys delete --database clou", offers: ["cloud.db"] },
  { line: "--api see", offers: ["seed.json"] },
  { line: "--api ./api ", offers: ["items", "orders"], offersNot: ["login", "keys", "seed.json"] },
  { line: "--api=./api --base-url http://h items ", offers: ["list", "create"], offersNot: ["delete", "seed.json"] },
  { line: "--api ./api items list --ke", offers: ["--key-query", "--key-cookie"], offersNot: ["--profile"] },
  { line: "organizations list --base-url ", offers: [], offersNot: ["seed.json"] },
  { line: "request ", offers: ["GET", "DELETE"], offersNot: ["seed.json"] },
  { line: "help ", offers: ["keys", "serve"], offersNot: ["seed.json"] },
  { line: "help admin ", offers: ["keys", "seed"], offersNot: ["login", "serve"] },
  { line: "--profile work organizations ", offers: ["list"], offersNot: ["delete"] },
  { line: "--profile=work --format json keys ", offers: ["delete"], offersNot: ["create"] },
  { line: "organizations list --timeout 5s --for", offers: ["--format"] },
  { line: "request --base-url http://127.0.0.1:8080 ", offers: ["GET", "DELETE"] }
]

/** Two files of each beginning, so that a shell lists them where it does not complete the whole word. */
const files = { "seed.json": "", "seed.json5": "", "cloud.db": "", "cloud.db2": "" }

const check = ({ offers, offersNot = [] }: Case, shown: string) => {
  const words = new Set(shown.split(/\s+/))
  expect(offers.filter((word) => !words.has(word))).toEqual([])
  expect(offersNot.filter((word) => words.has(word))).toEqual([])
}

const script = (shell: string) => Effect.map(Invocation.run(["completions", shell]), ({ stdout }) => stdout)

describe("in a real shell, Tab completes", () => {
  Program.suite(["fish"], (path) =>
    it.live("in fish", function* () {
      const folder = yield* Child.folder(files)
      const source = join(folder, "completions")
      writeFileSync(source, yield* script("fish"))
      Generated.write(join(folder, "api"), Generated.of(shop))
      for (const row of cases) {
        const shown = execFileSync(
          path("fish"),
          ["--no-config", "-c", "source $argv[1]; complete -C $argv[2]", source, `cloud-management ${row.line}`],
          { encoding: "utf8", cwd: folder, env: { ...Child.surroundings, HOME: folder } }
        )
        check(row, shown.replace(/\t.*$/gm, ""))
      }
    })
  )

  const shells = {
    bash: {
      program: "bash_completion",
      shell: ["bash", "--norc", "--noprofile"],
      setup: [
        "bind 'set show-all-if-ambiguous on'",
        "bind 'set page-completions off'",
        "bind 'set completion-query-items 0'",
        `source ${Program.find("bash_completion")}`
      ]
    },
    zsh: {
      program: "zsh",
      shell: ["zsh", "-f"],
      setup: ["autoload -U compinit; compinit -u -D", "LISTMAX=1000; setopt NO_AUTO_MENU NO_LIST_AMBIGUOUS; PS1='$ '"]
    }
  } as const
  for (const [name, { program, setup, shell }] of Object.entries(shells)) {
    Screen.suite(
      () =>
        it.live(`in ${name}`, () =>
          Effect.gen(function* () {
            const screen = yield* Screen.open({ columns: 200, rows: 60, shell, files })
            writeFileSync(join(screen.folder, "completions"), yield* script(name))
            Generated.write(join(screen.folder, "api"), Generated.of(shop))
            for (const line of [...setup, "source ./completions", "echo set; echo up"]) {
              yield* screen.enter(line)
            }
            yield* screen.until(/^set\nup$/m)
            for (const row of cases) {
              yield* screen.press("C-l")
              yield* screen.until(/^\$ *$/)
              yield* screen.type(`cloud-management ${row.line}`)
              yield* screen.press("Tab")
              // what is offered appears; where that is nothing, the shell echoes what follows once it is done
              if (row.offers.length === 0) yield* screen.type("~")
              const shown =
                row.offers.length === 0 ? /~/ : new RegExp(row.offers.map((word) => `(?=[^]*\\s${word})`).join(""))
              const [typed = "", ...below] = (yield* screen.until(shown)).split("\n")
              // of the line itself, the word that was completed
              check(row, [typed.trimEnd().split(" ").at(-1) ?? "", ...below].join("\n"))
              yield* screen.press("C-e", "C-u")
            }
          })
        ),
      program
    )
  }
})

it.live("bash loads them in POSIX mode too, and offers names of profiles, and IDs that were shown", function* () {
  const profile = { baseUrl: "https://h", keyId: "k", keySecret: "s" }
  const folder = yield* Child.folder({
    completions: yield* script("bash"),
    "cloud-management": `#!/bin/sh\nexec "$COMMAND_NODE" "$COMMAND_SOURCE" "$@"\n`,
    "profiles.json": JSON.stringify({ profiles: { staging: profile, work: profile } })
  })
  chmodSync(join(folder, "cloud-management"), 0o755)
  mkdirSync(join(folder, "config/cloud-management"), { recursive: true })
  renameSync(join(folder, "profiles.json"), join(folder, "config/cloud-management/profiles.json"))
  const offered = (...words: ReadonlyArray<string>) => {
    const line = `. ./completions; COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _cloud_management "$1" "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD - 1]}"; echo "\${COMPREPLY[@]}"`
    const env = {
      ...Child.surroundings,
      PATH: `${folder}:${process.env["PATH"]}`,
      XDG_CONFIG_HOME: join(folder, "config"),
      XDG_CACHE_HOME: join(folder, "cache"),
      COMMAND_NODE: process.execPath,
      COMMAND_SOURCE: resolve("packages/cli/src/main.ts")
    }
    const args = ["--posix", "--norc", "-c", line, "bash", "cloud-management", ...words]
    return execFileSync("bash", args, { encoding: "utf8", cwd: folder, env }).trim()
  }
  expect(offered("profiles", "use", "")).toBe("staging work")
  expect(offered("whoami", "--profile", "st")).toBe("staging")
  expect(offered("admin", "seed", "comp")).toBe("completions")
  expect(offered("admin", "seed", "none")).toBe("")

  const own = ["--database", join(folder, "new.db")]
  const env = { XDG_CACHE_HOME: join(folder, "cache") }
  const names = ["Acme", "Globex"]
  const made: Array<string> = []
  for (const name of names) {
    const { stdout } = yield* Child.run(["admin", "organizations", "create", name, "--format", "ids", ...own], env)
    made.unshift(stdout.trim())
  }
  expect(offered("admin", "keys", "list", "")).toBe(made.join(" "))
  const [first = ""] = made
  expect(offered("admin", "services", "list", first.slice(0, 8))).toBe(first)
  expect(offered("admin", "keys", "delete", first, "")).toBe("")
})

Program.suite(["fish", "zsh"], (path) =>
  it.live("installs them once, for the shells that start from then on", function* () {
    const home = join(yield* Child.folder(), "it's")
    mkdirSync(home)
    for (const shell of ["bash", "zsh", "fish", "bash", "zsh"]) {
      // the XDG Base Directory Specification has what is empty or relative ignored
      const ignored = { XDG_CONFIG_HOME: "", XDG_DATA_HOME: "data", ZDOTDIR: "" }
      const installed = yield* Child.run(["completions", shell, "--install"], { HOME: home, ...ignored })
      expect(installed).toMatchObject({ code: 0, stderr: "" })
    }
    const within = (program: string, ...args: ReadonlyArray<string>) =>
      execFileSync(program, args, { encoding: "utf8", env: { ...Child.surroundings, HOME: home }, stdio: "pipe" })
    expect(within("bash", "-ic", "complete -p cloud-management")).toContain("-F _cloud_management")
    expect(within(path("zsh"), "-ic", "print $_comps[cloud-management]")).toBe("_cloud_management\n")
    expect(within(path("fish"), "-c", "complete -C 'cloud-management key'")).toMatch(/^keys\t/)
    for (const file of [".bashrc", ".zshrc"]) {
      expect(readFileSync(join(home, file), "utf8").match(/^source /gm)).toHaveLength(1)
    }
  })
)

it.effect("every flag and argument whose values or files are completed is there", function* () {
  const docs = yield* allHelps
  const names = new Set(
    docs
      .flatMap(({ args = [], flags, globalFlags = [] }) => [...args, ...flags, ...globalFlags])
      .map(({ name }) => name)
  )
  expect([...Completions.values.keys()].filter((name) => !names.has(name))).toEqual([])
})
