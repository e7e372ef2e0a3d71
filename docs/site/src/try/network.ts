/** The network of a page is services in memory: the one of this API, and one of orders, which loses a response. */
import { Faults, InMemoryTransport, Mock } from "@cloud-management/testing"
import seed from "../../../../examples/seed.json"
import { operations } from "./home/api/index.ts"
import { NotFound } from "./home/api/refusals.ts"

const { cancel } = operations.orders
const orders = Mock.make(operations)
const cancelled = new Set<string>()
orders.reply(cancel, ({ id }) => {
  const body = { code: "not_found", message: `no order ${id}` }
  if (cancelled.has(id)) return new NotFound({ message: body.message, body })
  cancelled.add(id)
})

const own = Mock.fetch(InMemoryTransport.layer(seed))
const lossy = Mock.fetch(orders.layer.pipe(Faults.on(cancel, [Faults.Fault.DropAfterSend()])))

globalThis.fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input)
  if (url.host !== "api.example.com") return own(input, init)
  const request = `${init?.method} ${url.pathname}`
  try {
    const response = await lossy(input, init)
    console.log(`${request}: ${response.status}`)
    return response
  } catch (error) {
    console.log(`${request}: done, but its response is lost`)
    throw error
  }
}
