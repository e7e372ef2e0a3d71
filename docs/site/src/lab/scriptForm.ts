import { button, choice, element, labelled, numeric } from "../element.ts"
import type { Ask, Script, ScriptedFault } from "./scenario.ts"

const kinds = {
  None: "goes through",
  Status: "a gateway responds",
  StatusAfterSend: "the service acts, but a gateway responds",
  Delay: "is delayed",
  DropBeforeSend: "connection refused",
  DropAfterSend: "the service acts, but the response is lost",
  Break: "the connection breaks",
  Hang: "is lost, without a response",
  HangAfterSend: "the service acts, but never responds",
  Truncate: "the response is cut off",
  Stall: "the response stalls"
} satisfies Readonly<Record<ScriptedFault["_tag"], string>>

const asks = {
  "list organizations": "list organizations",
  "delete a key": "delete a key",
  "read an endpoint": "read an endpoint"
} satisfies Readonly<Record<Ask, string>>

/** What each kind is at first. */
const initial = (kind: ScriptedFault["_tag"]): ScriptedFault => {
  switch (kind) {
    case "Status":
    case "StatusAfterSend":
      return { _tag: kind, status: 503, headers: { "retry-after": "1" }, body: "Please wait" }
    case "Delay":
      return { _tag: kind, duration: 1000 }
    case "Break":
      return { _tag: kind, code: "EPIPE", when: "before-send" }
    case "Truncate":
    case "Stall":
      return { _tag: kind, bytes: 20 }
    default:
      return { _tag: kind }
  }
}

const text = (label: string, value: string, onChange: (value: string) => void) => {
  const input = element("input", { type: "text", value })
  input.addEventListener("input", () => onChange(input.value))
  return labelled(label, input)
}

/** The controls of what a fault has beside its kind. */
const details = (fault: ScriptedFault, set: (fault: ScriptedFault) => void): ReadonlyArray<HTMLElement> => {
  switch (fault._tag) {
    case "Status":
    case "StatusAfterSend": {
      let answer = fault
      const change = (own: Partial<typeof answer>) => set((answer = { ...answer, ...own }))
      const seconds = Number(answer.headers?.["retry-after"] ?? 0)
      return [
        numeric("Status", answer.status, (status) => change({ status })),
        numeric(
          "Retry-After",
          seconds,
          (wait) => change({ headers: wait > 0 ? { "retry-after": String(wait) } : {} }),
          "s"
        ),
        text("Body", answer.body ?? "", (body) => change({ body }))
      ]
    }
    case "Delay":
      return [numeric("Delay", fault.duration, (duration) => set({ ...fault, duration }), "ms")]
    case "Break": {
      let own = fault
      return [
        text("Code", own.code, (code) => set((own = { ...own, code }))),
        labelled(
          "When",
          choice({ "before-send": "before it is sent", "after-send": "after the service acted" }, own.when, (when) =>
            set((own = { ...own, when }))
          )
        )
      ]
    }
    case "Truncate":
    case "Stall":
      return [numeric("After", fault.bytes, (bytes) => set({ ...fault, bytes }), "bytes")]
    default:
      return []
  }
}

/** The controls of a script: what is asked for, and what each request meets. */
export const scriptForm = (script: Script, onEdit: (script: Script) => void): HTMLElement => {
  let current = script
  const list = element("ol", { className: "lab-script" })
  const edit = (next: Script) => {
    current = next
    onEdit(next)
  }
  const put = (index: number, ...faults: ReadonlyArray<ScriptedFault>) =>
    edit({ ...current, faults: current.faults.toSpliced(index, 1, ...faults) })
  const render = () =>
    list.replaceChildren(
      ...current.faults.map((fault, index) =>
        element(
          "li",
          {},
          labelled(
            `Request ${index + 1}`,
            choice(kinds, fault._tag, (kind) => {
              put(index, initial(kind))
              render()
            })
          ),
          ...details(fault, (fault) => put(index, fault)),
          button(`Remove ${index + 1}`, () => {
            put(index)
            render()
          })
        )
      )
    )
  render()
  return element(
    "div",
    {},
    labelled(
      "Each call asks to",
      choice(asks, script.ask, (ask) => edit({ ...current, ask }))
    ),
    list,
    button("Add a fault", () => {
      edit({ ...current, faults: [...current.faults, initial("Status")] })
      render()
    })
  )
}
