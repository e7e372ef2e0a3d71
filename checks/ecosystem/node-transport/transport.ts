/** The program on Node, on the way to the service that `TRANSPORT` describes. */
import { NodeTransport, type TransportOptions } from "@cloud-management/node"
import { Config, Effect, Layer } from "effect"
import { program } from "./program.ts"

const transport = Layer.unwrap(
  Effect.map(Config.String("TRANSPORT"), (json) => {
    const options: TransportOptions.Options = JSON.parse(json)
    return NodeTransport.layerOptions(options)
  })
)

void Effect.runPromise(program.pipe(Effect.provide(transport))).then(console.log)
