/** The program in a page, with its settings in the URL and the service at its own origin. */
import { FetchTransport } from "@cloud-management/browser"
import { ConfigProvider, Effect, Layer } from "effect"
import { program } from "./program.ts"

const settings = Object.fromEntries(new URLSearchParams(location.search))
const layer = Layer.merge(
  FetchTransport.layer,
  ConfigProvider.layer(ConfigProvider.fromUnknown({ ...settings, CLOUD_MANAGEMENT_BASE_URL: location.origin }))
)
void Effect.runPromise(program.pipe(Effect.provide(layer))).then(
  (result) => (document.title = result),
  (error) => (document.title = `failed: ${error}`)
)
