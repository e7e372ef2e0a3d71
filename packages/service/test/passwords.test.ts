import { expect, it } from "../../../checks/fixtures/vitest.ts"
import { Effect } from "effect"
import { createRequire } from "node:module"
import { Readable } from "node:stream"
import * as Passwords from "../src/node/internal/passwords.ts"

/** The part of `pgpass` that reads a file. It has no types. */
const pgpass: {
  readonly getPassword: (target: Passwords.Target, text: Readable, done: (password: string | undefined) => void) => void
} = createRequire(import.meta.url)("pgpass/lib/helper.js")

const target = { host: "h", port: 5432, database: "d", user: "u" }

it.effect.each<
  [what: string, text: string, ours?: string, theirs?: string | undefined, target?: Partial<Passwords.Target>]
>([
  ["the target", "h:5432:d:u:pässword", "pässword", "pässword"],
  ["any target", "*:*:*:*:any password", "any password", "any password"],
  ["other targets before it", "i:*:*:*:other\r\n*:1:*:*:port\n*:*:*:u:first\n*:*:*:*:last\n", "first", "first"],
  ["other targets only", "*:*:e:*:password\n*:*:*:v:password"],
  ["nobody: a comment", "# *:*:*:*:password"],
  ["a password that has separators", "h:5432:d:u:a\\:b\\\\c", "a:b\\c", "a:b\\c"],
  ["an address of IPv6", "\\:\\:1:5432:d:u:password", "password", "password", { host: "::1" }],
  // as libpq, which the package does not follow here
  ["any target, in few letters", "*:*:*:*:pw", "pw"],
  ["a name that ends with a backslash", "h:5432:d:u\\\\:password", "password", undefined, { user: "u\\" }],
  ["a password that has another letter escaped", "h:5432:d:u:pass\\word", "password", "pass\\word"],
  ["this machine, reached over a socket", "localhost:*:*:*:password", "password", undefined, { host: "/run" }]
])("a password file for %s is read as pgpass reads it, or as libpq does", function* ([, text, ours, theirs, other]) {
  const given = { ...target, ...other }
  expect(Passwords.find(text, given)).toBe(ours)
  const found = Effect.callback<string | undefined>((resume) =>
    pgpass.getPassword(given, Readable.from([text]), (password) => resume(Effect.succeed(password)))
  )
  expect(yield* found).toBe(theirs)
})
