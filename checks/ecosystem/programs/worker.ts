/** The program in a worker, with its settings in the bindings. */
import { FetchTransport } from "@cloud-management/browser"
import { ConfigProvider, Effect, Layer } from "effect"
import { program } from "./program.ts"

export default {
  fetch: async (_: Request, bindings: Readonly<Record<string, string>>) => {
    const layer = Layer.merge(FetchTransport.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(bindings)))
    return new Response(await Effect.runPromise(program.pipe(Effect.provide(layer))))
  }
}
