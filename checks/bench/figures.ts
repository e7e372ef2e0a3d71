import { readFileSync, writeFileSync } from "node:fs"

/** The value below which a share of all values lies, `0` to `1`. */
export const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? NaN

export const median = (values: ReadonlyArray<number>): number => percentile(values, 0.5)

export const ratio = (of: ReadonlyArray<number>, to: ReadonlyArray<number>): number =>
  median(of.map((value, round) => value / (to[round] ?? NaN)))

/**
 * What each row gave, in rounds in which all take their turn: a machine that slows down slows all of them. Each begins a
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

const printed: Array<string> = []

export const row = (...cells: ReadonlyArray<string | number | undefined>): string => {
  const text = `| ${cells.join(" | ")} |`
  printed.push(text)
  return text
}

/** The head of such a table: one column of text, and others of numbers. */
export const head = (...titles: ReadonlyArray<string>): string =>
  `${row(...titles)}\n${row("---", ...titles.slice(1).map(() => "--:"))}`

const cellsOf = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())
const isFigure = (cell: string) => /^\**(?:[×+−] ?)?\d/.test(cell)

/** Applies a change to the lines of a text; `label` has the title of their table and their words, without emphasis and links. */
const mapRows = (lines: ReadonlyArray<string>, change: (line: string, label: string) => string) => {
  let title = ""
  return lines.map((line, i) => {
    const cells = cellsOf(line)
    if (lines[i + 1]?.startsWith("| ---")) title = cells[0] ?? ""
    const words = cells.slice(0, Math.max(0, cells.findIndex(isFigure)))
    return change(line, [title, ...words].join(" | ").replace(/\*\*|\[|]\([^)]*\)/g, ""))
  })
}

/** A text with the printed figures in the rows of its tables; its other rows and columns stay. */
export const written = (text: string, rows: ReadonlyArray<string>): string => {
  const found = new Map<string, Array<string>>()
  mapRows(rows, (line, label) => {
    found.set(label, cellsOf(line).filter(isFigure))
    return line
  })
  return mapRows(text.split("\n"), (line, label) => {
    const figures = found.get(label) ?? []
    // a row with other columns stays
    if (figures.length !== cellsOf(line).filter(isFigure).length) return line
    return line.replace(/(?<=\| *\**)(?:[×+−] ?)?\d[^|*]*?(?=\** *\|)/g, (old) => figures.shift() ?? old)
  }).join("\n")
}

// for any benchmark: none of them has to know this option
const at = process.argv.indexOf("--write")
if (at !== -1) {
  const page = "docs/performance.md"
  process.argv.splice(at, 1)
  process.once("exit", () => writeFileSync(page, written(readFileSync(page, "utf8"), printed)))
}
