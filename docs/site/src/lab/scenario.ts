import * as Schema from "effect/Schema"
import { Fault } from "@cloud-management/testing/Faults"
import * as Policy from "./policy.ts"
import type { brownOut, outage } from "./trouble.ts"

const Status = Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 }))
const text = (longest: number) => Schema.String.check(Schema.isMaxLength(longest))
const Answer = {
  status: Status,
  headers: Schema.optionalKey(Schema.Record(text(100), text(1000)).check(Schema.isMaxProperties(20))),
  body: Schema.optionalKey(text(10_000))
}
const Bytes = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

/** The faults of `Faults`, as a script names them. `Delay` is in milliseconds. */
export const ScriptedFault = Schema.Union([
  Schema.TaggedStruct("None", {}),
  Schema.TaggedStruct("Status", Answer),
  Schema.TaggedStruct("StatusAfterSend", Answer),
  Schema.TaggedStruct("Delay", { duration: Policy.Millis }),
  Schema.TaggedStruct("DropBeforeSend", {}),
  Schema.TaggedStruct("DropAfterSend", {}),
  Schema.TaggedStruct("Break", { code: text(100), when: Schema.Literals(["before-send", "after-send"]) }),
  Schema.TaggedStruct("Hang", {}),
  Schema.TaggedStruct("HangAfterSend", {}),
  Schema.TaggedStruct("Truncate", { bytes: Bytes }),
  Schema.TaggedStruct("Stall", { bytes: Bytes })
])
export type ScriptedFault = typeof ScriptedFault.Type

/** What each call asks for. */
export const Ask = Schema.Literals(["list organizations", "delete a key", "read an endpoint"])
export type Ask = typeof Ask.Type

/** Faults in the order of sending. */
export const Script = Schema.Struct({
  ask: Ask,
  faults: Schema.Array(ScriptedFault).check(Schema.isMaxLength(200))
})
export type Script = typeof Script.Type

/** Where the faults of a run come from. */
export type Source =
  | { readonly _tag: "Script"; readonly faults: ReadonlyArray<ScriptedFault> }
  | { readonly _tag: "Outage"; readonly node: Parameters<typeof outage>[0] & { readonly fault: ScriptedFault } }
  | { readonly _tag: "BrownOut"; readonly service: Parameters<typeof brownOut>[0] }

/** What goes wrong, and the calls that meet it. */
export interface Scenario {
  readonly title: string
  /** In a sentence or two, what happens on the other side. */
  readonly story: string
  readonly ask: Ask
  /** How many calls are made by default, and the time between the starts of two, in milliseconds. */
  readonly calls: number
  readonly every: number
  /** Whether each call has a client of its own, or one client makes them all. */
  readonly clients: "one" | "each"
  readonly faults: Source
  readonly rateLimit?: { readonly limit: number; readonly window: number }
  /** Policies that show a difference. */
  readonly A: Policy.Policy
  readonly B: Policy.Policy
}

/** The sides of the comparison. */
export const sideNames = ["A", "B"] as const

/** How long a request is under way to the service and back, in milliseconds. */
export const latency = 40

const html = (title: string) => `<html><body><h1>${title}</h1></body></html>`
const page = { "content-type": "text/html" }
const { none, standard } = Policy

const single = { calls: 1, every: 0, clients: "one" } as const

const fixed = {
  "lost-response": {
    title: "The response to a deletion is lost",
    story:
      "The service deletes the key, and the connection breaks before its response arrives. After one attempt, the client cannot know whether the key is gone. A second attempt shows it.",
    ask: "delete a key",
    ...single,
    faults: { _tag: "Script", faults: [Fault.DropAfterSend()] },
    A: standard,
    B: none
  },
  "node-dies": {
    title: "A node dies",
    story:
      "Two nodes share the requests. One is dead from 0.3 s to 1.2 s: every second request is refused, until the load balancer notices.",
    ask: "read an endpoint",
    calls: 12,
    every: 150,
    clients: "one",
    faults: { _tag: "Outage", node: { from: 300, until: 1200, every: 2, fault: Fault.DropBeforeSend() } },
    A: standard,
    B: none
  },
  "gateway-html": {
    title: "A gateway returns HTML",
    story:
      "The service deletes the key, but the gateway before it answers 502. To the second attempt it answers 404, with a page of its own. That says nothing about the key.",
    ask: "delete a key",
    ...single,
    faults: {
      _tag: "Script",
      faults: [
        Fault.StatusAfterSend({ status: 502, headers: page, body: html("502 Bad Gateway") }),
        Fault.Status({ status: 404, headers: page, body: html("404 Not Found") })
      ]
    },
    A: standard,
    B: none
  },
  "rate-limit": {
    title: "A rate limit of 10 per 10 s, and 200 calls",
    story:
      "200 calls begin at once. The service admits 10 requests in 10 s, and answers all others with 429 and the time of the next window.",
    ask: "read an endpoint",
    calls: 200,
    every: 0,
    clients: "one",
    faults: { _tag: "Script", faults: [] },
    rateLimit: { limit: 10, window: 10_000 },
    A: { ...standard, deadline: { ...standard.deadline, total: 300_000 } },
    B: { ...standard, deadline: { ...standard.deadline, total: 300_000 }, pacing: { _tag: "Adaptive" } }
  },
  "brown-out": {
    title: "A brown-out with 1,000 clients",
    story:
      "1,000 clients make one call each, 50 in a second. The service can serve 100 in a second, but only 20 from 4 s to 6 s. Requests wait in a queue, those too whose callers have given up.",
    ask: "list organizations",
    calls: 1000,
    every: 20,
    clients: "each",
    faults: { _tag: "BrownOut", service: { from: 4000, until: 6000, work: 10, slow: 50 } },
    A: { ...standard, deadline: { ...standard.deadline, attempt: 1000 } },
    B: { ...none, deadline: { ...standard.deadline, attempt: 1000 } }
  },
  "stalled-body": {
    title: "A stalled body",
    story: "The response begins, and stops in the middle of its body. The connection stays open.",
    ask: "list organizations",
    ...single,
    faults: { _tag: "Script", faults: [Fault.Stall({ bytes: 20 })] },
    A: standard,
    B: { ...standard, deadline: { attempt: 2000, total: 5000 } }
  }
} satisfies Readonly<Record<string, Scenario>>

/** The scenarios that need no input. */
export const scenarios: Readonly<Record<keyof typeof fixed, Scenario>> = fixed

/** A scenario of the visitor's own. */
export const scripted = ({ ask, faults }: Script): Scenario => ({
  title: "Your own script",
  story: "Requests meet these faults in the order in which they are sent. After the last one, requests go through.",
  ask,
  ...single,
  faults: { _tag: "Script", faults },
  A: standard,
  B: none
})

/** The script that the form starts with. */
export const firstScript: Script = {
  ask: "delete a key",
  faults: [
    Fault.DropAfterSend(),
    Fault.Status({ status: 503, headers: { "retry-after": "1" }, body: html("Please wait") })
  ]
}
