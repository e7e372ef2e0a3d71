import type { Fault } from "@cloud-management/testing/Faults"
import { hour, type Quantity } from "./field.ts"
import { standard, type Policy } from "./policy.ts"
import type { outage, queue } from "./trouble.ts"

const headers = { "content-type": "text/html" }
const gateway =
  (_tag: "Status" | "StatusAfterSend") =>
  (status: number): Fault => ({ _tag, status, headers, body: `<html><body><h1>${status}</h1></body></html>` })
const busy = (wait: number): Fault => ({ _tag: "Status", status: 503, headers: { "retry-after": `${wait}` } })
const none: Partial<Quantity> = {}
// a gateway's page needs a status that has a body
const status: Partial<Quantity> = { unit: "status", min: 200, max: 599, except: [204, 205, 304] }
const bytes: Partial<Quantity> = { unit: "bytes", max: 1_000_000 }
/** Of each its name, the unit and bounds of its value, and the fault of a value. */
export const kinds = {
  None: ["goes through", none, () => ({ _tag: "None" })],
  DropAfterSend: ["the service acts, but the response is lost", none, () => ({ _tag: "DropAfterSend" })],
  DropBeforeSend: ["the connection is refused", none, () => ({ _tag: "DropBeforeSend" })],
  Status: ["a gateway responds with", status, gateway("Status")],
  StatusAfterSend: ["the service acts, but a gateway responds with", status, gateway("StatusAfterSend")],
  Busy: ["503, try again after", { unit: "s", max: 3600 }, busy],
  Hang: ["is lost, without a response", none, () => ({ _tag: "Hang" })],
  HangAfterSend: ["the service acts, but never responds", none, () => ({ _tag: "HangAfterSend" })],
  Delay: ["is delayed by", { unit: "ms" }, (duration) => ({ _tag: "Delay", duration })],
  Truncate: ["the response is cut off after", bytes, (bytes) => ({ _tag: "Truncate", bytes })],
  Stall: ["the response stalls after", bytes, (bytes) => ({ _tag: "Stall", bytes })]
} satisfies Readonly<Record<string, readonly [string, Partial<Quantity>, (value: number) => Fault]>>
export type Kind = keyof typeof kinds

export const asks = ["list organizations", "delete a key", "read an endpoint"] as const

/** These faults one after another, or a trouble that has its time. */
export type Source =
  | { readonly _tag: "Script"; readonly faults: ReadonlyArray<readonly [kind: Kind, value: number]> }
  | { readonly _tag: "Outage"; readonly trouble: Parameters<typeof outage>[0] }
  | { readonly _tag: "Queue"; readonly trouble: Parameters<typeof queue>[0] }

export interface Scenario {
  readonly title: string
  /** The events on the other side, and what they teach. */
  readonly story: string
  readonly ask: (typeof asks)[number]
  /** How many calls are made, and the time between the starts of two, in milliseconds; default: none. */
  readonly calls: number
  readonly every?: number
  readonly faults: Source
  readonly rateLimit?: { readonly limit: number; readonly window: number }
  readonly A: Policy
  readonly B: Policy
}

export const sideNames = ["A", "B"] as const
export type SideName = (typeof sideNames)[number]

const once = { ...standard, attempts: 1 }
const script = (...faults: ReadonlyArray<readonly [Kind, number]>): Source => ({ _tag: "Script", faults })
const deletion = { ask: "delete a key", calls: 1, A: standard, B: once } as const
const crowd: Policy = { ...standard, attempts: 6, clients: "each" }
const impatient = { ...standard, attempt: 1000 }
const lasting = { ...standard, total: 300_000 }

export const scenarios = {
  "lost-response": {
    ...deletion,
    title: "The response to a deletion is lost",
    story:
      "The service deletes the key, and the connection breaks before its response arrives. After one attempt, the client cannot know whether the key is gone. A second attempt shows it.",
    faults: script(["DropAfterSend", 0])
  },
  jitter: {
    title: "Lesson: why full jitter",
    story:
      "All clients call at once. The service needs 10 ms for a request, and rejects one that would wait for more than 50 ms. With random waits (A) the rejected clients come back one after another. With equal waits (B) they come back together, and collide again.",
    ask: "list organizations",
    calls: 100,
    faults: { _tag: "Queue", trouble: { from: 0, until: 0, work: 10, slow: 10, longest: 50 } },
    A: crowd,
    B: { ...crowd, jitter: "none" }
  },
  deadline: {
    title: "Lesson: what a deadline is worth",
    story:
      "One of four nodes accepts requests, and never responds. A gives up an attempt after a second, and the next one goes elsewhere. B has deadlines of an hour, and waits.",
    ask: "read an endpoint",
    calls: 40,
    every: 100,
    faults: { _tag: "Outage", trouble: { from: 0, until: hour, every: 4, fault: { _tag: "Hang" } } },
    A: { ...standard, attempt: 1000 },
    B: { ...standard, attempt: hour, total: hour }
  },
  "brown-out": {
    title: "Lesson: how retries make an outage",
    story:
      "Every 20 ms a call begins. The service can serve 100 in a second, but only 20 from 4 s to 6 s. Requests wait in a queue, also after their callers have given up, a second later. All calls of A share a client, and its retry budget. In B each call has a client of its own, and so nothing ends the retries.",
    ask: "list organizations",
    calls: 1000,
    every: 20,
    faults: { _tag: "Queue", trouble: { from: 4000, until: 6000, work: 10, slow: 50, longest: hour } },
    A: impatient,
    B: { ...impatient, clients: "each" }
  },
  "node-dies": {
    title: "A node dies",
    story:
      "Two nodes share the requests. One is dead from 0.3 s to 1.2 s: every second request is refused, until the load balancer notices.",
    ask: "read an endpoint",
    calls: 12,
    every: 150,
    faults: { _tag: "Outage", trouble: { from: 300, until: 1200, every: 2, fault: { _tag: "DropBeforeSend" } } },
    A: standard,
    B: once
  },
  "gateway-html": {
    ...deletion,
    title: "A gateway returns HTML",
    story:
      "The service deletes the key, but the gateway before it responds with 502. To the second attempt it responds with 404, and a page of its own. That says nothing about the key, so both policies report that it may be gone.",
    faults: script(["StatusAfterSend", 502], ["Status", 404])
  },
  "rate-limit": {
    title: "A rate limit of 10 per 10 s",
    story:
      "All calls begin at once. The service admits 10 requests in 10 s, and rejects all others with 429 and the time of the next window. A tries again then, until its retry budget is spent. B follows the limit that the service states, and sends nothing that it would reject.",
    ask: "read an endpoint",
    calls: 200,
    faults: script(),
    rateLimit: { limit: 10, window: 10_000 },
    A: lasting,
    B: { ...lasting, pacing: "Adaptive" }
  },
  script: {
    ...deletion,
    title: "Your own script",
    story: "Requests meet these faults in the order in which they are sent. After the last one, requests go through.",
    faults: script(["DropAfterSend", 0], ["Busy", 1])
  }
} satisfies Readonly<Record<string, Scenario>>
