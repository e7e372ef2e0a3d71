/** Mounts the components over a mock whose responses to a deletion and to an upload are lost, a service without a session, and a silent one. */
import * as Faults from "@cloud-management/testing/Faults"
import * as Mock from "@cloud-management/testing/Mock"
import { Client } from "@cloud-management/promise"
import { QueryClientProvider } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { createRoot } from "react-dom/client"
import { cancel, create, list } from "./api/operations/orders.ts"
import { NotFound } from "./api/refusals.ts"
import { clientOf } from "./client.ts"
import { Orders, queriesOf } from "./Orders.tsx"
import { attach, Photo } from "./Photo.tsx"

const main = document.querySelector("main")
if (main === null) throw new Error("no main")

const shown = async (pattern: RegExp) => {
  while (!pattern.test(main.textContent)) await new Promise(requestAnimationFrame)
}
const type = (article: string) => {
  const input = main.querySelector("input")
  if (input !== null) input.value = article
}
const click = (name: string) =>
  [...main.querySelectorAll("button")].find((button) => button.textContent === name)?.click()

const visit = async (component: ReactNode, use: () => Promise<void>) => {
  const root = createRoot(main)
  root.render(<QueryClientProvider client={queriesOf()}>{component}</QueryClientProvider>)
  await use()
  root.unmount()
}

const mock = Mock.make({ orders: { cancel, create, list } })
const page = mock.example(list)
const left = new Set(["chair", "table"])
mock.reply(create, ({ payload }) => {
  left.add(payload.article)
  return { ...mock.example(create), ...payload }
})
mock.reply(list, ({ query }) => {
  const orders = [...left].flatMap((id) => page.orders.map((order) => ({ ...order, id, article: id })))
  return query?.cursor === undefined ? { orders: orders.slice(0, 1), nextCursor: "2" } : { orders: orders.slice(1) }
})
mock.reply(cancel, ({ id }) => {
  const body = { code: "not_found", message: `no order ${id}` }
  return left.delete(id) ? undefined : new NotFound({ message: body.message, body })
})

const lossy = Mock.fetch(mock.layer.pipe(Faults.on(cancel, [Faults.Fault.DropAfterSend()])))
await visit(<Orders client={clientOf("any", lossy)} />, async () => {
  await shown(/chair.*More/)
  click("More")
  await shown(/chair.*table/)
  type("lamp")
  click("Order")
  await shown(/lamp/)
  click("Cancel")
  await shown(/^(?!.*chair).*table/)
})
const { length } = mock.inputs(cancel)

await visit(<Orders client={clientOf(undefined, mock.fetch)} />, () => shown(/Sign in again/))

const operations = { orders: { attach } }
const photos = Mock.make(operations)
const lossyPhotos = Mock.fetch(photos.layer.pipe(Faults.on(attach, [Faults.Fault.DropAfterSend()])))
const client = new Client({ operations, baseUrl: "https://api.example.com/v1", fetch: lossyPhotos })
await visit(<Photo client={client} id="7" />, async () => {
  await shown(/Photo/)
  const chosen = new DataTransfer()
  chosen.items.add(new File(["a chair"], "chair.png"))
  const input = main.querySelector("input")
  if (input !== null) input.files = chosen.files
  input?.dispatchEvent(new Event("change", { bubbles: true }))
  await shown(/Stored/)
})
const stored = await Promise.all(photos.inputs(attach).map(({ payload }) => payload.photo.text()))

const silent = Promise.withResolvers<string>()
const sent = Promise.withResolvers<void>()
const never = (_: unknown, init?: RequestInit) => {
  init?.signal?.addEventListener("abort", () => silent.resolve("aborted"))
  sent.resolve()
  return new Promise<Response>(() => {})
}
await visit(<Orders client={clientOf("any", never)} />, () => sent.promise)
document.title = `created after ${mock.inputs(create).length}, cancelled after ${length}, signed out, stored ${stored.join()}, ${await silent.promise}`
