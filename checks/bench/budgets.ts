/** `-- NAME` measures only the calls with this name, `-- --rounds N` changes the number of rounds. */
import * as Program from "../fixtures/Program.ts"

const { isPart } = await import("./calls.ts")
if (!isPart) {
  if (Program.isThere("wrk")) await import("./requests.ts")
  await import("../size.ts")
}
