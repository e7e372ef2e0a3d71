import { describe, expect, it } from "@effect/vitest"
import * as SerialOrder from "./src/SerialOrder.ts"

/**
 * A request of one key: to delete a key, or to read (no target). Its place among all events, and its answer, 0 when none
 * was heard.
 */
interface Request extends SerialOrder.Interval {
  readonly caller: string
  readonly target: string | undefined
  readonly answer: number
}

/** What the service does with a request at one moment: the keys that are left, or nothing when the answer is wrong. */
const serve = ({ answer, caller, target }: Request, keys: ReadonlySet<string>): ReadonlySet<string> | undefined => {
  const right = !keys.has(caller)
    ? 401
    : target === undefined
      ? 200
      : target === caller
        ? 400
        : keys.has(target)
          ? 200
          : 404
  if (answer !== 0 && answer !== right) return undefined
  return target === undefined || right !== 200 ? keys : new Set([...keys].filter((key) => key !== target))
}

type Line = readonly [caller: string, target: string | undefined, begun: number, ended: number, answer: number]
const explains = (lines: ReadonlyArray<Line>) =>
  SerialOrder.find(
    lines.map(([caller, target, begun, ended, answer]): Request => ({ caller, target, begun, ended, answer })),
    new Set(["a", "b", "c"]),
    serve
  )

describe("an order", () => {
  const histories: ReadonlyArray<readonly [name: string, lines: ReadonlyArray<Line>]> = [
    [
      "one of two that delete one another at once is refused",
      [
        ["a", "b", 0, 2, 200],
        ["b", "a", 1, 3, 401]
      ]
    ],
    [
      "a read that overlaps the deletion of its key is served",
      [
        ["a", "b", 0, 3, 200],
        ["b", undefined, 1, 2, 200]
      ]
    ],
    [
      "or not",
      [
        ["a", "b", 0, 3, 200],
        ["b", undefined, 1, 2, 401]
      ]
    ],
    [
      "a read before it is served",
      [
        ["b", undefined, 0, 1, 200],
        ["a", "b", 2, 3, 200]
      ]
    ],
    [
      "what is deleted is not found",
      [
        ["a", "b", 0, 1, 200],
        ["a", "b", 2, 3, 404]
      ]
    ],
    [
      "of two deletions at once the later is not found",
      [
        ["a", "b", 0, 3, 404],
        ["c", "b", 1, 2, 200]
      ]
    ],
    ["the key in use is refused", [["a", "a", 0, 1, 400]]],
    [
      "a ring leaves one",
      [
        ["a", "b", 0, 5, 200],
        ["b", "c", 1, 4, 200],
        ["c", "a", 2, 3, 401]
      ]
    ],
    [
      "a request without an end takes effect at any time",
      [
        ["a", "b", 0, Infinity, 200],
        ["b", undefined, 8, 9, 200]
      ]
    ],
    [
      "a request without an answer had no effect, although it could have had one at first",
      [
        ["c", "a", 0, Infinity, 0],
        ["b", "c", 0, 2, 200],
        ["a", "b", 0, 2, 200]
      ]
    ]
  ]
  it.each(histories)("is found: %s", (_, lines) => {
    expect(explains(lines).unexplained).toEqual([])
  })

  const contradictions: ReadonlyArray<readonly [name: string, lines: ReadonlyArray<Line>]> = [
    [
      "both of two that delete one another win",
      [
        ["a", "b", 0, 2, 200],
        ["b", "a", 1, 3, 200]
      ]
    ],
    [
      "both lose",
      [
        ["a", "b", 0, 2, 401],
        ["b", "a", 1, 3, 401]
      ]
    ],
    [
      "all of a ring win",
      [
        ["a", "b", 0, 5, 200],
        ["b", "c", 1, 4, 200],
        ["c", "a", 2, 3, 200]
      ]
    ],
    [
      "a deleted key is let in",
      [
        ["a", "b", 0, 1, 200],
        ["b", undefined, 2, 3, 200]
      ]
    ],
    [
      "a key is deleted twice",
      [
        ["a", "b", 0, 3, 200],
        ["c", "b", 1, 2, 200]
      ]
    ],
    ["what is there is not found", [["a", "b", 0, 1, 404]]],
    ["the key in use is deleted", [["a", "a", 0, 1, 200]]],
    ["a key that is there is refused", [["a", undefined, 0, 1, 401]]],
    [
      "a refusal comes before its cause",
      [
        ["b", undefined, 0, 1, 401],
        ["a", "b", 2, 3, 200]
      ]
    ]
  ]
  it.each(contradictions)("is not found: %s", (_, lines) => {
    expect(explains(lines).unexplained).not.toEqual([])
  })

  it("tells the state at its end", () => {
    const { state } = explains([
      ["a", "b", 0, 5, 200],
      ["b", "c", 1, 4, 200],
      ["c", "a", 2, 3, 401]
    ])
    expect([...state]).toEqual(["a"])
  })

  it("takes little time for many requests at once", () => {
    const lines = Array.from({ length: 300 }, (_, index): Line => ["a", undefined, index, 1000 - index, 200])
    expect(explains([...lines, ["a", "b", 0, 1000, 200], ["c", "b", 0, 1000, 404]]).unexplained).toEqual([])
  })
})
