import { displayWidth } from "effect/cli/CliOutput"
import * as Foreign from "./foreign.ts"

/** A label and its value; more values go below the first. */
export type Row = readonly [label: string, value: string | ReadonlyArray<string> | undefined]

/** Columns, two spaces apart. */
export const columns = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const cleaned = rows.map((row) => row.map(Foreign.clean))
  const widths = (cleaned[0] ?? []).map((_, i) =>
    cleaned.reduce((width, row) => Math.max(width, displayWidth(row[i] ?? "")), 0)
  )
  return cleaned.map((row) =>
    row
      .map((cell, i) => cell + " ".repeat((widths[i] ?? 0) - displayWidth(cell)))
      .join("  ")
      .trimEnd()
  )
}

/** Labels on the left, values on the right; rows without a value, or with an empty one, are left out. */
export const record = (rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  columns(
    rows.flatMap(([label, value]) => {
      const values = typeof value === "string" ? [value] : (value ?? [])
      return values.filter((value) => value !== "").map((value, i) => [i === 0 ? label : "", value])
    })
  )
