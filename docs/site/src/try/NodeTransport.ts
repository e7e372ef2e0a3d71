/** Stands for `@cloud-management/node` in a page, which has no sockets: the service in memory, with the content of the seed. */
import { InMemoryTransport } from "@cloud-management/testing"
import seed from "../../../../examples/seed.json"

export const NodeTransport = { layer: InMemoryTransport.layer(seed) }
