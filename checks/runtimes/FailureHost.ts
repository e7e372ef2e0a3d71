import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { cellsOf } from "../documents/markdown.ts"
import * as Proxy from "../faults/proxy.ts"
import * as Wire from "../faults/wire.ts"
import type { Plan } from "./inside/failures.ts"

const redirect = (status: number) => Wire.respond(status, { location: "/page/" }, "")

/** A host whose paths fail, each in its way; it passes others on to a service. */
export const make = Effect.fnUntraced(function* (serviceUrl: string) {
  const proxy = yield* Proxy.make(serviceUrl, { headRead: async () => {}, onSilent: () => {} })
  let interrupted = 0
  const behaviours: Readonly<Record<string, Proxy.Behaviour["request"]>> = {
    reset: Wire.before(Wire.reset),
    "redirect-307": redirect(307),
    "redirect-303": redirect(303),
    silent: Wire.before(Wire.silent),
    interrupted: (exchange) =>
      exchange.path === "/interrupted/count"
        ? Wire.respond(200, { "cache-control": "no-store" }, String(interrupted))(exchange)
        : void interrupted++
  }
  proxy.behave({ request: (exchange) => (behaviours[exchange.path.split("/")[1] ?? ""] ?? Wire.pass)(exchange) })
  const { refused, selfSigned, unknown } = proxy.places
  return { at: proxy.url, refused, distrusted: selfSigned, unknownHost: unknown }
})

/** The rows of the table in `docs/library/reliability.md` that are about a runtime, by failure. */
export const expected = (runtime: string): Plan["expected"] => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/library/reliability.md"), "utf8")
  const [, table = ""] = /^\| failure \| runtime \|.*\n.*\n([^]*?)\n\n/m.exec(text) ?? []
  const rows = table.split("\n").map(cellsOf)
  // later rows are of those that a row of all leaves out
  const own = rows.filter(([, runtimes = ""]) => runtimes.startsWith("all") || runtimes.split(", ").includes(runtime))
  return Object.fromEntries(own.map(([failure = "", , ...rest]) => [failure, rest.join(", ")]))
}
