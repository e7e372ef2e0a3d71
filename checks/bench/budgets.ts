/**
 * `npm run bench`: what a call, a request and a page may cost, and what they do, in one run. `-- NAME` measures the calls
 * with this name alone, `-- --rounds N` changes the number of rounds. The parts have names of their own: `bench:requests`
 * and `size`.
 */
import * as Program from "../fixtures/Program.ts"

const { isPart } = await import("./calls.ts")
if (!isPart) {
  if (Program.isThere("wrk")) await import("./requests.ts")
  await import("../size.ts")
}
