/** Stands for `@cloud-management/node` in a page, with the settings that the first program has in a terminal. */
import { FetchTransport } from "@cloud-management/browser"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Layer from "effect/Layer"
import environment from "../../../../examples/first-program.env?raw"

export const NodeTransport = {
  layer: Layer.merge(FetchTransport.layer, ConfigProvider.layer(ConfigProvider.fromDotEnvContents(environment)))
}
