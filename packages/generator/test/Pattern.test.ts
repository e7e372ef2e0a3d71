import { describe, expect, it } from "vitest"
import * as Pattern from "../src/model/Pattern.ts"

describe("a pattern", () => {
  it.each([
    "^[a-z]+$",
    "^[a-z][a-z0-9-]{0,61}[a-z0-9]$",
    "^[a-z]([-a-z0-9]*[a-z0-9])?$",
    "^/[a-z]+(/[a-z]+)*$",
    "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
    "^-?[0-9]+(\\.[0-9]+)?$",
    "^\\+[1-9]\\d{1,14}$",
    "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$",
    "^arn:aws:[a-z0-9-]*:[a-z0-9-]*:[0-9]*:.+$",
    "^\\p{L}+$",
    "^(a|b|c)$",
    "^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$",
    "\\d+"
  ])("is checked, since it takes linear time: %s", (source) => {
    expect(Pattern.flags(source)).toBe("u")
  })

  const problems = {
    "it may take very long": [
      "^(a|aa)+$",
      `^${"(a|aa)".repeat(40)}$`,
      "^(a|aa){1,30}$",
      "^x|a+b",
      "a+b",
      "\\s+$",
      "\\S?".repeat(24),
      `${"[ -~]?".repeat(45)}$`,
      `^${"[ -~]?".repeat(45)}$`,
      "^(a?){40}$",
      "^(a{0,30}){0,30}$",
      "^((((a{99}){99}){99}){99}){99}$",
      "^[ -~]{0,100}[ -~]{0,100}x$",
      "^.*,.*,.*$",
      "^(\\w+\\s?)*$",
      "^(.*,){11}P",
      `^${"(".repeat(300)}a?${")?".repeat(300)}$`
    ],
    "it is not ECMAScript, or looks around or back": [
      "^(?=.*a)b",
      "(?=.*a)b",
      "^(a+)\\1$",
      "(?<!a)b",
      "^\\A[[:alpha:]]",
      "^("
    ],
    "its slashes and flags are a part of it, so that nothing matches: remove them": ["/^[a-z]+$/i", "/[a-z]+$/"]
  }

  it.each(Object.entries(problems).flatMap(([problem, all]) => all.map((source) => [source, problem])))(
    "is not checked, and says why: %s",
    (source, problem) => {
      expect([Pattern.flags(source), Pattern.problem(source)]).toEqual([undefined, problem])
    }
  )
})
