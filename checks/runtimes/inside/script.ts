/** Cases from a process: `bun script.ts TASK`, `deno run script.ts TASK`. Prints the results as JSON. */
import process from "node:process"
import { results } from "./task.ts"

console.log(JSON.stringify(await results(process.argv[2] ?? "")))
