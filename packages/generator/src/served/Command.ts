import * as Effect from "effect/Effect"
import { exitCodes, parse, sourceOf, type Streams } from "../Arguments.ts"
import * as Source from "../read/Source.ts"
import { unusable } from "../read/Unusable.ts"
import * as Mock from "./Mock.ts"
import * as Server from "./Server.ts"

const usage = `Usage: cloud-management-generate mock DOCUMENT [options]

Serves DOCUMENT (a file, a URL, or - for stdin) on this machine until it is interrupted: requests are checked, and each
operation responds with an example. A request with "Prefer: code=404" gets the response that is declared for this status.

  --port N             the port (default: a free one)
  --seed N             which known value of an enum comes first (default: 0)
  --patch FILE         a JSON Patch of the document; repeatable, in order
  --fetch              allow the network for DOCUMENT and for references to URLs
  --allow-private      let a public document lead to this machine and its network
  --help               print this
`

const numberOf = (name: string, text = "0"): number => {
  if (!/^\d{1,9}$/.test(text)) throw unusable(`--${name} is a number`)
  return Number(text)
}

/** Runs `mock` until the process is interrupted. */
export const execute = async (args: ReadonlyArray<string>, streams: Streams): Promise<number> => {
  const { positionals, values } = parse(args, { port: { type: "string" }, seed: { type: "string" } })
  if (values.help === true) {
    streams.out(usage)
    return exitCodes.ok
  }
  const [name, ...others] = positionals
  if (name === undefined || others.length > 0) throw unusable("name one DOCUMENT; mock --help shows how")
  const [port, seed] = [numberOf("port", values.port), numberOf("seed", values.seed)]
  const { root } = await Source.read(sourceOf(name, values))
  const served = Effect.tap(Server.scoped(Mock.make(root, seed), port), ({ baseUrl }) =>
    Effect.sync(() => streams.out(`${baseUrl}\n`))
  )
  return Effect.runPromise(Effect.scoped(Effect.andThen(served, Effect.never)))
}
