/** The work of quoting a text, counted instead of timed: the same on any machine. */
import { makeRepeats, makeSanitize } from "../src/internal/redaction.ts"

/**
 * How many characters are read, by patterns and by what folds letter case, and how many windows are looked up. The linter
 * shows that a pattern reads each character a bounded number of times.
 */
const steps = (run: () => void): number => {
  const originals = [
    [RegExp.prototype, "exec"],
    [String.prototype, "slice"],
    [String.prototype, "toUpperCase"],
    [Set.prototype, "has"]
  ] as const
  const [exec, slice, toUpperCase, has] = originals.map(([prototype, name]) => Reflect.get(prototype, name))
  let count = 0
  try {
    RegExp.prototype.exec = function (text) {
      const from = this.lastIndex
      const match: RegExpExecArray | null = Reflect.apply(exec, this, [text])
      // what splits a text tries each place on its own
      count += match === null ? (this.sticky ? 1 : text.length - from) : match.index + match[0].length - from
      return match
    }
    String.prototype.slice = function (this: string, ...places) {
      const part: string = Reflect.apply(slice, this, places)
      count += part.length
      return part
    }
    String.prototype.toUpperCase = function (this: string) {
      count += this.length
      return Reflect.apply(toUpperCase, this, [])
    }
    Set.prototype.has = function (this: Set<unknown>, value) {
      count++
      return Reflect.apply(has, this, [value])
    }
    run()
  } finally {
    for (const [i, [prototype, name]] of originals.entries()) {
      Reflect.set(prototype, name, [exec, slice, toUpperCase, has][i])
    }
  }
  return count
}

const secret = "cmk_qWvRtYx3ZkLm9PdQsHgJbNaUe8WcTfXo2Ii"

/** Texts that punished the pattern of an earlier version, or that any search reads to the end, by what they repeat. */
export const units = {
  "an ordinary page": "<p>The service is unavailable, try again later.</p>\n",
  "a prefix of the secret": secret.slice(0, 7),
  "percent signs": "%25",
  entities: "&amp;",
  backslashes: "\\\\u00",
  "white space": "\r\n\t ",
  hexadecimal: "3",
  base64: "QUJD"
} as const

/** 1 kB to 1 MB, in kB. */
export const sizes: ReadonlyArray<number> = Array.from({ length: 11 }, (_, i) => 2 ** i)

/** The steps for a text of so many kB, of which nobody looks at more than `limit` characters; the client has 400. */
export const stepsOf = (unit: keyof typeof units, kilobytes: number, limit?: number): number => {
  const sanitize = makeSanitize(makeRepeats(secret), "api.example.com", limit)
  const text = units[unit].repeat(Math.ceil((kilobytes * 1024) / units[unit].length)).slice(0, kilobytes * 1024)
  return steps(() => sanitize(text))
}
