/**
 * Stands for `@cloud-management/node` in a page, which has neither sockets nor an environment: the service in memory, with
 * the content and the settings that the first program has in a terminal.
 */
import { InMemoryTransport } from "@cloud-management/testing"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Layer from "effect/Layer"
import environment from "../../../../examples/first-program.env?raw"
import seed from "../../../../examples/seed.json"

export const NodeTransport = {
  layer: Layer.merge(
    InMemoryTransport.layer(seed),
    ConfigProvider.layer(ConfigProvider.fromDotEnvContents(environment))
  )
}
