/**
 * Programs of Debian packages, which `npm test` does not need: the only way to the path of one. Tests whose program is
 * not installed are left out by the name of its package, except in CI, where they fail.
 */
import { beforeEach, describe, expect } from "@effect/vitest"
import { existsSync, globSync } from "node:fs"
import { delimiter, join } from "node:path"

/** The package of each. */
const packages = {
  bash_completion: "bash-completion",
  buildah: "buildah",
  chromium: "chromium",
  curl: "curl",
  etcd: "etcd-server",
  fish: "fish",
  haproxy: "haproxy",
  jq: "jq",
  man: "man-db",
  nginx: "nginx-light",
  patroni: "patroni",
  patronictl: "patroni",
  pgbouncer: "pgbouncer",
  postgres: "postgresql",
  prometheus: "prometheus",
  promtool: "prometheus",
  "redis-server": "redis-server",
  sqlite3: "sqlite3",
  "systemd-analyze": "systemd",
  tmux: "tmux",
  wrk: "wrk",
  zsh: "zsh"
}
export type Name = keyof typeof packages

/** Programs that every Debian machine has, or Node.js, npm and packages of npm bring. */
export const everywhere = [
  "bash",
  "chown",
  "chroot",
  "getconf",
  "id",
  "ldd",
  "mkfifo",
  "npm",
  "npx",
  "prlimit",
  "setpriv",
  "sh",
  "tsc",
  "vitest"
]

/** Where Debian keeps each version of PostgreSQL, newest first; then wherever the shells of users and of root look. */
const folders = [
  ...globSync("/usr/lib/postgresql/*/bin").toSorted((a, b) => b.localeCompare(a, "en", { numeric: true })),
  ...(process.env["PATH"] ?? "").split(delimiter),
  "/usr/sbin",
  "/usr/share/bash-completion"
]

/** The path of a program, or nothing where it is not installed. */
export const find = (name: Name): string | undefined => folders.map((folder) => join(folder, name)).find(existsSync)

/** Says which of the programs are not installed, in one line, or nothing. */
export const absence = (...names: ReadonlyArray<Name>): string | undefined => {
  const missing = names.filter((name) => find(name) === undefined)
  if (missing.length === 0) return undefined
  const install = new Set(missing.map((name) => packages[name]))
  return `not installed: ${missing.join(", ")} (Debian: apt-get install ${[...install].join(" ")})`
}

/** Whether a text is one of those lines. */
export const isAbsence = (text: string) => text.startsWith("not installed: ")

const isRequired = process.env["CI"] === "true"

/** Tests of programs, whose paths they receive. They are left out if one is not installed; in CI, that is a failure. */
export const suite = <const Names extends ReadonlyArray<Name>>(
  names: Names,
  tests: (path: (name: Names[number]) => string) => void
): void => {
  const absent = absence(...names)
  const path = (name: Name) => find(name) ?? name
  if (absent === undefined) return tests(path)
  describe.skipIf(!isRequired)(`${absent}`, () => {
    beforeEach(() => expect.unreachable(absent))
    tests(path)
  })
}

/** Whether a check can use the programs. Otherwise it says that it does without them; in CI, that is a failure. */
export const isThere = (...names: ReadonlyArray<Name>): boolean => {
  const absent = absence(...names)
  if (absent === undefined) return true
  console.log(absent)
  if (isRequired) process.exitCode = 1
  return false
}
