import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { readFileSync, statSync } from "node:fs"
import { homedir, platform } from "node:os"
import { isAbsolute, join } from "node:path"

export const variable = (name: string) => Effect.orDie(Config.option(Config.String(name)))

/** The fields of a line, which colons separate; a backslash takes the meaning from the next character. */
const fieldsOf = (line: string): ReadonlyArray<string> => {
  const fields = [""]
  for (let i = 0; i < line.length; i++) {
    if (line[i] === ":") fields.push("")
    else fields[fields.length - 1] += (line[i] === "\\" ? line[++i] : line[i]) ?? ""
  }
  return fields
}

export interface Target {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/** The password in the first line of a `.pgpass` that fits. */
export const find = (text: string, { database, host, port, user }: Target): string | undefined => {
  const hosts = host.startsWith("/") ? [host, "localhost"] : [host]
  const fits = (field: string | undefined, ...values: ReadonlyArray<string>) =>
    field === "*" || values.some((value) => value === field)
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("#")) continue
    const [forHost, forPort, forDatabase, forUser, password] = fieldsOf(line)
    const isIt =
      fits(forHost, ...hosts) && fits(forPort, String(port)) && fits(forDatabase, database) && fits(forUser, user)
    if (isIt && password !== undefined) return password
  }
  return undefined
}

/** Why a password file cannot be used; `undefined` if it can be used or does not exist. */
const problemOf = (path: string): string | undefined => {
  const found = Result.try(() => statSync(path, { throwIfNoEntry: false }))
  // as in the home of another user, which `su` and `sudo` can leave in the environment
  if (Result.isFailure(found)) return `the password file ${path} is ignored, because this process may not look at it`
  const stat = found.success
  if (stat === undefined || (platform() === "win32" && stat.isFile())) return undefined
  if (!stat.isFile()) return `the password file ${path} is ignored, because it is not a file`
  return (stat.mode & 0o077) === 0
    ? undefined
    : `the password file ${path} is ignored, because others can read it: run chmod 600 ${path}`
}

const readFile = (path: string, target: Target) =>
  Effect.orElseSucceed(
    Effect.try(() => (problemOf(path) === undefined ? find(readFileSync(path, "utf8"), target) : undefined)),
    () => undefined
  )

/** As in libpq. A password file is read for each connection, so that a password can be replaced. */
export const make = Effect.fnUntraced(function* (inUrl: string | undefined, passfile: string | undefined) {
  const given = inUrl ?? Option.getOrUndefined(yield* variable("PGPASSWORD"))
  if (given !== undefined) return { warning: undefined, of: () => Redacted.make(given) }
  const [base, name] = platform() === "win32" ? ["APPDATA", "postgresql/pgpass.conf"] : ["HOME", ".pgpass"]
  const usual = (yield* variable(base)).pipe(
    // a user ID without a name, as containers have them, has no home either
    Option.orElse(Option.liftThrowable(homedir)),
    Option.filter(isAbsolute),
    Option.map((folder) => join(folder, name))
  )
  const path = passfile ?? Option.getOrUndefined(Option.orElse(yield* variable("PGPASSFILE"), () => usual))
  if (path === undefined) return { warning: undefined, of: () => Redacted.make("") }
  return {
    warning: problemOf(path),
    of: (target: Target) => Effect.map(readFile(path, target), (password = "") => Redacted.make(password))
  }
})
