import { displayWidth } from "effect/cli/CliOutput"
import * as Foreign from "./foreign.ts"

/** A label and its value; further values appear below the first. */
export type Row = readonly [label: string, value: string | ReadonlyArray<string> | undefined]

/** As `displayWidth`, at once for what has a column for each letter. */
const widthOf = (text: string) => (/^[ -~]*$/.test(text) ? text.length : displayWidth(text))

/** Breaks text into lines that fit: at spaces, and within a word only if the word is longer than a line. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => {
  if (widthOf(text) <= width) return [text]
  const lines: Array<string> = []
  let line = ""
  const add = (more: string, space: string) => {
    const longer = line === "" ? more : line + space + more
    if (widthOf(longer) > width) lines.push(line.trimEnd())
    line = widthOf(longer) > width ? more : longer
  }
  for (const word of text.split(" ")) {
    if (widthOf(word) <= width) add(word, " ")
    else for (const { index, segment } of new Intl.Segmenter().segment(word)) add(segment, index === 0 ? " " : "")
  }
  return [...lines, line]
}

const align = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, i) => rows.reduce((width, row) => Math.max(width, widthOf(row[i] ?? "")), 0))
  // the last one is not padded: of a long cell in it, each row would pay
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell + " ".repeat((widths[i] ?? 0) - widthOf(cell))))
      .join("  ")
      .trimEnd()
  )
}

const units = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60]
] as const

/** A moment as people tell it: `3 days ago`, or `in 2 hours`. */
const fromNow = (moment: number, now: number): string => {
  const seconds = (moment - now) / 1000
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1]
  return new Intl.RelativeTimeFormat("en").format(Math.round(seconds / size), unit)
}

/** At a terminal, a time is also told from now, in a column only so: it takes half the room. A name is no time. */
const withTimes = (label: string | undefined, text: string, width: number, inColumn: boolean): string => {
  if (width === Infinity || label === "Name" || !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return text
  const relative = fromNow(Date.parse(text), Date.now())
  return inColumn ? relative : `${text} (${relative})`
}

/** Least columns that a value gets beside its label, however narrow the terminal is. */
const least = 16

/** Labels on the left, values on the right. Rows with a missing or empty value are omitted. */
export const record = (rows: ReadonlyArray<Row>, width = Infinity): ReadonlyArray<string> => {
  const shown = rows.flatMap(([label, value]) => {
    const values = (typeof value === "string" ? [value] : (value ?? [])).filter((value) => value !== "")
    return values.length === 0 ? [] : [[Foreign.brief(label), values] as const]
  })
  const labels = shown.reduce((most, [label]) => Math.max(most, widthOf(label)), 0)
  return align(
    shown.flatMap(([label, values]) =>
      values
        .flatMap((value) =>
          wrap(Foreign.brief(withTimes(label, value, width, false)), Math.max(least, width - labels - 2))
        )
        .map((value, i) => [i === 0 ? label : "", value])
    )
  )
}

/** Records with a line between them. */
export const records = (all: ReadonlyArray<ReadonlyArray<Row>>, width: number): ReadonlyArray<string> =>
  all.flatMap((rows, i) => [...(i === 0 ? [] : [""]), ...record(rows, width)])

/** Columns below their headings; if they are wider than the terminal, a record for each row. */
export const columns = ([head = [], ...rows]: ReadonlyArray<ReadonlyArray<string>>, width = Infinity) => {
  const lines = align(
    [head, ...rows].map((row) => row.map((cell, i) => Foreign.brief(withTimes(head[i], cell, width, true))))
  )
  if (rows.length === 0 || lines.every((line) => widthOf(line) <= width)) return lines
  return records(
    rows.map((row) => row.map((cell, i) => [head[i] ?? "", cell])),
    width
  )
}
