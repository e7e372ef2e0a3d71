import { expect, it } from "vitest"
import * as Table from "../src/output/table.ts"

it("aligns columns by what a terminal shows", () => {
  expect(
    Table.columns([
      ["a", "b"],
      ["ローマ", "c"]
    ])
  ).toEqual(["a       b", "ローマ  c"])
})

it("leaves out what has no value, and puts further values below the first", () => {
  const rows: ReadonlyArray<Table.Row> = [
    ["one", "1"],
    ["none", undefined],
    ["empty", ""],
    ["many", ["2", "3"]]
  ]
  expect(Table.record(rows)).toEqual(["one   1", "many  2", "      3"])
})

it("takes more rows than a call takes arguments", () => {
  expect(Table.columns(Array.from({ length: 130_000 }, () => ["a"]))).toHaveLength(130_000)
})

it("keeps the terminal safe from what a service sends", () => {
  expect(Table.record([["name", "\u001b[2Jgone\u009b\n"]])).toEqual(["name  \ufffd[2Jgone\ufffd\ufffd"])
})

it("wraps a value at words, and within one that is longer than a line", () => {
  const rows: ReadonlyArray<Table.Row> = [
    ["name", "some words that are many"],
    ["id", "0123456789012345678901"]
  ]
  expect(Table.record(rows, 22)).toEqual([
    "name  some words that",
    "      are many",
    "id    0123456789012345",
    "      678901"
  ])
})

it("makes a record of each row where columns are wider than the terminal, and cuts nothing off", () => {
  const rows = [
    ["ID", "Name"],
    ["a".repeat(20), "one"],
    ["b".repeat(20), "two"]
  ]
  expect(Table.columns(rows, 25)).toEqual([
    `ID    ${"a".repeat(19)}`,
    "      a",
    "Name  one",
    "",
    `ID    ${"b".repeat(19)}`,
    "      b",
    "Name  two"
  ])
  expect(Table.columns(rows, 26)).toHaveLength(3)
})

it("shows the beginning of a very long value, and how much it leaves out", () => {
  const long = "ab ".repeat(400_000)
  const rows: ReadonlyArray<ReadonlyArray<string>> = [["Name"], [long], ...Array.from({ length: 1000 }, () => ["a"])]
  for (const lines of [
    Table.record([["Name", [long, ...Array.from({ length: 1000 }, () => "a")]]], 80),
    Table.columns(rows)
  ]) {
    const text = lines.join(" ")
    expect(text.replace(/\s+/g, " ")).toContain("… (1,195,904 more characters)")
    expect(text.length).toBeLessThan(30_000)
  }
})
