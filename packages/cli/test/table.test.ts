import { expect, it, vi } from "vitest"
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
  // the names of its fields are labels
  expect(Table.record([["n\u001b[2J", "v"]])).toEqual(["n\ufffd[2J  v"])
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

it.each([
  ["2026-11-26T11:00:00.000Z", "3 days ago"],
  ["2026-11-28T13:00:01Z", "23 hours ago"],
  ["2026-11-29T11:59:59.600Z", "0 seconds ago"],
  ["2026-11-29T12:01:30.000Z", "in 2 minutes"],
  ["2027-02-27T12:00:00.000Z", "in 3 months"],
  ["2024-11-28T00:00:00.000Z", "2 years ago"],
  ["2026-11-29", "2026-11-29"]
])("tells a time from now at a terminal alone: %s, %s", (time, shown) => {
  vi.useFakeTimers({ now: Date.parse("2026-11-29T12:00:00Z") })
  try {
    expect(Table.columns([["Used"], [time]], 80)).toEqual(["Used", shown])
    expect(Table.columns([["Used"], [time]])).toEqual(["Used", time])
    expect(Table.record([["Used", time]], 80)).toEqual([`Used  ${shown === time ? time : `${time} (${shown})`}`])
    expect(Table.record([["Used", time]])).toEqual([`Used  ${time}`])
    expect(Table.columns([["Name"], [time]], 80)).toEqual(["Name", time])
  } finally {
    vi.useRealTimers()
  }
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
