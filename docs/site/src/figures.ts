/** The figures of the home page, from the tables of the documents that the commands write. */
import { cellsOf } from "../../../checks/documents/markdown.ts"
import comparison from "../../comparison.md?raw"
import performance from "../../performance.md?raw"

export interface Figure {
  readonly number: string
  readonly says: string
  readonly link: string
  readonly command: string
}

/** By the first cell of each row. */
const column = (text: string, name: string): ReadonlyMap<string, string> => {
  const rows = new Map<string, string>()
  let at = -1
  for (const line of text.split("\n")) {
    const cells = cellsOf(line)
    if (cells.length === 0) at = -1
    // some name the unit after a comma
    else if (at === -1) at = cells.findIndex((cell) => cell.split(",")[0] === name)
    else rows.set(cells[0] ?? "", cells[at] ?? "")
  }
  return rows
}

const cell = (text: string, row: string, name: string) => {
  const found = column(text, name).get(row)
  if (found === undefined) throw new Error(`no table of the documents has a row ${row} and a column ${name}`)
  return found
}

const broken = "1,000 calls at once to a broken service (503)"
/** The operations that a round has. Other rows count other things. */
const [, every = ""] = cell(comparison, "all fields", "this generator").split("/")
const rounds = [...column(comparison, "this generator").values()].filter((value) => value.endsWith(`/${every}`))
/** By Vite's bundler. */
const kB = (row: string) => parseFloat(cell(performance, row, "rolldown"))
/** The row of a document that is not generated as a whole says how much is. */
const [operations = "", generated = "100 %"] = cell(comparison, "GitHub", "operations").split(/[:,] /)

export const figures: ReadonlyArray<Figure> = [
  {
    number: generated,
    says: `of the ${operations} operations of GitHub's document are generated`,
    link: "/comparison/#real-documents",
    command: "npm run check corpus"
  },
  {
    number: rounds.toSorted((one, other) => parseInt(one) - parseInt(other))[0] ?? "",
    says: `operations of Box's document that read JSON are right, in the worst of ${rounds.length} rounds`,
    link: "/comparison/#generators-beside-each-other",
    command: "npm run check bench:generators"
  },
  {
    number: cell(comparison, "a deletion is applied, its response is lost, its 404 is declared", "this client").replace(
      "succeeds, ",
      ""
    ),
    says: "end in a success, where the response to a deletion is lost and its document declares the 404",
    link: "/comparison/#calls-under-faults",
    command: "npm run check compare"
  },
  {
    number: cell(comparison, broken, "this client"),
    says: `for 1,000 calls at once to a broken service, where openai makes ${cell(comparison, broken, "openai")}`,
    link: "/comparison/#calls-under-faults",
    command: "npm run check compare"
  },
  {
    number: `${kB("the client over FetchTransport, as browser.md shows it")} kB`,
    says: `of a page, gzipped, by Vite's bundler: Effect, client, transport, retries and three operations; ${kB("a call of each operation, on promises")} kB with promises`,
    link: "/performance/#what-the-client-weighs-in-a-page",
    command: "npm run size"
  }
]
