/**
 * `npx node checks/main.ts bench:quotes`: the steps of quoting a text of 1 kB to 1 MB in an error. The client looks at the first 400
 * characters; the second table is of a client that looks at all of them.
 */
import { sizes, stepsOf, units } from "../fixtures/steps.ts"

const names = Object.keys(units).filter((name): name is keyof typeof units => name in units)
const line = (first: string, cells: ReadonlyArray<number>) =>
  console.log(first.padEnd(26) + cells.map((cell) => String(cell).padStart(10)).join(""))

for (const [title, limit] of [
  ["400 characters of kB", undefined],
  ["all of kB", Infinity]
] as const) {
  line(title, sizes)
  for (const name of names) {
    line(
      `  ${name}`,
      sizes.map((size) => stepsOf(name, size, limit))
    )
  }
}
