import { expect, it } from "@effect/vitest"
import * as Figures from "./figures.ts"

it("what is printed goes into the rows of a document with the same title and words; all else stays", () => {
  const rows = [
    ...Figures.head("a call", "ms", "× a").split("\n"),
    Figures.row("a", 1, "× 1.00"),
    Figures.row("the client", "once", 2, "× 2.00"),
    Figures.row("not shown", 3, "× 3.00"),
    Figures.row("with fewer columns", 4, "× 4.00"),
    ...Figures.head("a call", "ms", "× b").split("\n"),
    ...Figures.head("a page", "kB").split("\n"),
    Figures.row("a", "7.0 kB")
  ]
  const text = (a: string, once: string, page: string) => `
2 ms are much.

| a call | | ms | × a |
| --- | --- | --: | --: |
| **a** | ${a} |
| [the client](a.md) | once | ${once} |
| another | 9 | × 9.00 |
| with fewer columns | 8 |

| a page | kB | errors |
| --- | --: | --- |
| a | ${page} | by status |`
  expect(Figures.written(text("**5** | × 5.00", "6 | × 6.00", "1.0 kB"), rows)).toBe(
    text("**1** | × 1.00", "2 | × 2.00", "7.0 kB")
  )
})
