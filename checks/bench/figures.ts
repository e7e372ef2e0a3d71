import { readFileSync, writeFileSync } from "node:fs"

/** The value below which a share of all values lies, `0` to `1`. */
export const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? NaN

export const median = (values: ReadonlyArray<number>): number => percentile(values, 0.5)

export const ratio = (of: ReadonlyArray<number>, to: ReadonlyArray<number>): number =>
  median(of.map((value, round) => value / (to[round] ?? NaN)))

/**
 * The results of each row, in rounds in which all take their turn: a machine that slows down slows all of them. Each begins a
 * round in its turn, since what follows one that still collects garbage is slower. The first `warm` rounds do not count.
 */
export const turns = async <A>(
  rows: ReadonlyArray<() => Promise<A>>,
  rounds: number,
  warm = 0
): Promise<ReadonlyArray<ReadonlyArray<A>>> => {
  const taken = rows.map(() => new Array<A>())
  for (let round = -warm; round < rounds; round++) {
    for (let n = 0; n < rows.length; n++) {
      const index = (n + warm + round) % rows.length
      const result = await rows[index]?.()
      if (round >= 0 && result !== undefined) taken[index]?.push(result)
    }
  }
  return taken
}

const held: Array<string> = []

/** Holds a figure against its limit. The end of the process says both, and is a failure if one is beyond its limit. */
export const hold = (what: string, figure: number, bound: "at most" | "at least", limit: number, unit = ""): void => {
  const isHeld = bound === "at most" ? figure <= limit : figure >= limit
  held.push(`${isHeld ? "ok     " : "NOT MET"} ${what}: ${Number(figure.toFixed(3))}${unit}, ${bound} ${limit}${unit}`)
  if (!isHeld) process.exitCode = 1
}
process.once("exit", () => {
  if (held.length > 0) console.log(`\n${held.join("\n")}`)
})

// for any benchmark: none of them has to know this option
const at = process.argv.indexOf("--write")
const isWritten = at !== -1
if (isWritten) process.argv.splice(at, 1)

type Row = ReadonlyArray<string | number>

/** A table, whose first row is its head: a column of text, and others of numbers if the next row has one. */
export const table = ([head = [], ...rows]: ReadonlyArray<Row>): string => {
  const isNumeric = rows[0]?.slice(1).some((cell) => /^\d/.test(String(cell)))
  const rule = head.map((_, column) => (isNumeric === true && column > 0 ? "--:" : "---"))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("")
}

/** Prints a table. With `--write` it takes the place of the one in a document whose head begins with the same two cells. */
export const publish = (page: string, [head = [], ...rows]: ReadonlyArray<Row>): void => {
  const printed = table([head, ...rows])
  console.log(printed)
  if (!isWritten) return
  const start = `| ${head.slice(0, 2).join(" | ")} `
  const lines = readFileSync(page, "utf8").split(/(?<=\n)/)
  const first = lines.findIndex((line) => line.startsWith(start))
  if (first === -1) throw new Error(`${page} has no table that begins with ${start}`)
  const rest = lines.slice(first).findIndex((line) => !line.startsWith("|"))
  lines.splice(first, rest === -1 ? lines.length : rest, printed)
  writeFileSync(page, lines.join(""))
}
