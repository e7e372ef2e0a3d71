import * as Record from "effect/Record"
import { Fault } from "@cloud-management/testing/Faults"
import { button, element } from "../element.ts"
import { cell, choice, field, labelled, numeric, text, type Cell } from "./controls.ts"
import type { Ask, Script, ScriptedFault } from "./scenario.ts"

const answer = { status: 503, headers: { "retry-after": "1" }, body: "Please wait" }

/** How each kind is called, and what it is at first. */
const kinds: Readonly<Record<ScriptedFault["_tag"], readonly [name: string, initial: ScriptedFault]>> = {
  None: ["goes through", Fault.None()],
  Status: ["a gateway responds", Fault.Status(answer)],
  StatusAfterSend: ["the service acts, but a gateway responds", Fault.StatusAfterSend(answer)],
  Delay: ["is delayed", { _tag: "Delay", duration: 1000 }],
  DropBeforeSend: ["connection refused", Fault.DropBeforeSend()],
  DropAfterSend: ["the service acts, but the response is lost", Fault.DropAfterSend()],
  Break: ["the connection breaks", Fault.Break({ code: "EPIPE", when: "before-send" })],
  Hang: ["is lost, without a response", Fault.Hang()],
  HangAfterSend: ["the service acts, but never responds", Fault.HangAfterSend()],
  Truncate: ["the response is cut off", Fault.Truncate({ bytes: 20 })],
  Stall: ["the response stalls", Fault.Stall({ bytes: 20 })]
}

const asks = {
  "list organizations": "list organizations",
  "delete a key": "delete a key",
  "read an endpoint": "read an endpoint"
} satisfies Readonly<Record<Ask, string>>

const whens = { "before-send": "before it is sent", "after-send": "after the service acted" }

/** The controls of what a fault has beside its kind. */
const details = (fault: ScriptedFault, set: (fault: ScriptedFault) => void): ReadonlyArray<HTMLElement> => {
  switch (fault._tag) {
    case "Status":
    case "StatusAfterSend": {
      const answer = cell(fault, set)
      const { body = "", headers } = fault
      return [
        numeric("Status", field(answer, "status")),
        numeric(
          "Retry-After",
          cell(Number(headers?.["retry-after"] ?? 0), (wait) =>
            field(answer, "headers").set(wait > 0 ? { "retry-after": String(wait) } : {})
          ),
          "s"
        ),
        text("Body", cell(body, field(answer, "body").set))
      ]
    }
    case "Delay":
      return [numeric("Delay", field(cell(fault, set), "duration"), "ms")]
    case "Break": {
      const broken = cell(fault, set)
      return [text("Code", field(broken, "code")), labelled("When", choice(whens, field(broken, "when")))]
    }
    case "Truncate":
    case "Stall":
      return [numeric("After", field(cell(fault, set), "bytes"), "bytes")]
    default:
      return []
  }
}

/** The controls of a script: what is asked for, and what each request meets. */
export const scriptForm = (script: Cell<Script>): HTMLElement => {
  const list = element("ol", { className: "lab-script" })
  const faults = field(script, "faults")
  const render = () =>
    list.replaceChildren(
      ...faults.get().map((fault, index) => {
        const put = (...changed: ReadonlyArray<ScriptedFault>) =>
          faults.set(faults.get().toSpliced(index, 1, ...changed))
        const kind = cell(fault._tag, (chosen) => {
          put(kinds[chosen][1])
          render()
        })
        const remove = () => {
          put()
          render()
        }
        return element(
          "li",
          {},
          labelled(
            `Request ${index + 1}`,
            choice(
              Record.map(kinds, ([name]) => name),
              kind
            )
          ),
          ...details(fault, put),
          button(`Remove ${index + 1}`, remove)
        )
      })
    )
  render()
  return element(
    "div",
    {},
    labelled("Each call asks to", choice(asks, field(script, "ask"))),
    list,
    button("Add a fault", () => {
      faults.set([...faults.get(), kinds.Status[1]])
      render()
    })
  )
}
